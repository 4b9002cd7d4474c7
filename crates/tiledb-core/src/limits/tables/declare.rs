//! The declaration of a table.

/// Declares the limits of a part of the engine as constants, and their list.
macro_rules! limits {
    ($(#[$about:meta])* $part:ident: $($(#[$doc:meta])* $name:ident = $value:expr, $unit:ident from $minimum:expr, $reason:literal;)*) => {
        $(#[$about])*
        pub mod $part {
            use crate::limits::{Limit, LimitUnit};

            $(
                $(#[$doc])*
                pub const $name: Limit = Limit {
                    name: concat!(stringify!($part), ".", stringify!($name)),
                    unit: LimitUnit::$unit,
                    value: $value,
                    minimum: $minimum,
                    reason: $reason,
                };
            )*

            pub(in crate::limits) const ALL: &[&Limit] = &[$(&$name),*];
        }
    };
}

pub(super) use limits;
