//! Positive and negative zero are different coordinates, and so are NaNs with different bits.

use crate::Scenario;
use crate::world::{
    Dim, FLOAT64, GLOBAL, HILBERT, INT32, Little, ROW, Read, Spec, UNORDERED, World, all, attr, dim, fixed, sparse,
};
use support::pointer;
use support::text;

pub const SCENARIOS: &[Scenario] =
    &[("zeros_written", written), ("zeros_in_fragments", fragments), ("zeros_not_a_number", not_a_number)];

const FLOAT32: u64 = 2;

/// An array with a dimension of floats, and one of whole numbers behind it if there are to be two.
fn floats(ty: u64, two: bool, cell_order: u64) -> Spec {
    let little = |values: &[f64]| match ty {
        FLOAT32 => values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect(),
        _ => values.little(),
    };
    let float = Dim { name: "d", ty, domain: little(&[-10.0, 10.0]), extent: little(&[1.0]) };
    let dims = if two { vec![float, dim("x", 0, 99, 10)] } else { vec![float] };
    Spec { cell_order, capacity: 2, ..sparse(&dims, &[attr("a", INT32, 1, false)]) }
}

/// Writes these coordinates; the attribute counts them.
fn write(world: &mut World<'_>, name: &str, layout: u64, values: &[f64], config: &[(&str, &str)]) {
    let cells = match world.spec(name).dims[0].ty {
        FLOAT32 => {
            let mut cells = fixed(values);
            cells.data = values.iter().flat_map(|&value| (value as f32).to_le_bytes()).collect();
            cells
        }
        _ => fixed(values),
    };
    let numbers: Vec<i32> = (0..values.len() as i32).collect();
    let mut columns = vec![("d", cells), ("a", fixed(&numbers))];
    if world.spec(name).dims.len() > 1 {
        columns.push(("x", fixed(&vec![7; values.len()])));
    }
    world.write_with(name, layout, &[], &[columns], config);
}

/// Reads in all layouts. Which of both zeros comes first is not told: to the reference they are at the same place.
fn read_all(world: &World<'_>, name: &str, fields: &[&str]) {
    for layout in [ROW, GLOBAL, UNORDERED] {
        for window in [None, Some(10), Some(20), Some(30)] {
            world.read(name, &Read { sorted: true, window: (None, window), ..all(layout, fields) });
        }
    }
}

fn written(world: &mut World<'_>) {
    for (number, (ty, two, order)) in
        [(FLOAT64, false, ROW), (FLOAT32, false, ROW), (FLOAT64, true, ROW), (FLOAT32, true, HILBERT)]
            .into_iter()
            .enumerate()
    {
        for (at, values) in
            [&[0.0, -0.0, 1.0][..], &[-0.0, 0.0], &[0.0, -0.0, 0.0], &[-0.0, 3.0, -0.0]].iter().enumerate()
        {
            for (layout, config) in [(UNORDERED, ("sm.dedup_coords", "false")), (GLOBAL, ("sm.dedup_coords", "false"))]
            {
                let name = format!("a{number}{at}{layout}");
                // Cells at one place of the order are not compared unless they follow one another.
                if layout == GLOBAL && at > 1 {
                    continue;
                }
                world.create(&name, floats(ty, two, order));
                write(world, &name, layout, values, &[config]);
                read_all(world, &name, &["d", "a"]);
            }
        }
        let name = format!("dedup{number}");
        world.create(&name, floats(ty, two, order));
        write(world, &name, UNORDERED, &[0.0, -0.0, 0.0], &[("sm.dedup_coords", "true")]);
        read_all(world, &name, &["d"]);
    }
}

/// Two fragments, then merged into one.
fn fragments(world: &mut World<'_>) {
    for (number, (ty, two, order)) in
        [(FLOAT64, false, ROW), (FLOAT32, true, ROW), (FLOAT64, true, HILBERT)].into_iter().enumerate()
    {
        let name = format!("f{number}");
        world.create(&name, floats(ty, two, order));
        write(world, &name, UNORDERED, &[-3.0, 0.0, 5.0], &[]);
        write(world, &name, UNORDERED, &[-0.0, 5.0, 6.0], &[]);
        read_all(world, &name, &["d", "a"]);
        let ctx = world.api.context(&[]);
        let uri = text(&world.uri(&name));
        world.tell("consolidate", ctx.call("array_consolidate", &[pointer(&uri), 0]));
        world.fragments(&name);
        read_all(world, &name, &["d", "a"]);
    }
}

/// Where coordinates are checked ours refuses them.
fn not_a_number(world: &mut World<'_>) {
    let [plain, other, negative] =
        [0x7ff8_0000_0000_0000, 0x7ff8_0000_0000_0001, 0xfff8_0000_0000_0000].map(f64::from_bits);
    for (number, values) in [&[1.0, plain, 2.0, other, negative][..], &[1.0, plain, 2.0, plain]].into_iter().enumerate()
    {
        let name = format!("n{number}");
        world.create(&name, floats(FLOAT64, false, ROW));
        let outcome_only = number == 1;
        write(world, &name, UNORDERED, values, &[("sm.check_coord_oob", "false")]);
        if !outcome_only {
            read_all(world, &name, &["d", "a"]);
            world.fragments(&name);
        }
    }
    world.create("bounds", floats(FLOAT64, false, ROW));
    for value in [1e300, -10.000001, 123456789.0, 10.5] {
        write(world, "bounds", UNORDERED, &[value], &[]);
    }
}
