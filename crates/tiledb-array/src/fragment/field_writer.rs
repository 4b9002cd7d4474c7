//! Writer of the files and tables of one field of a fragment.

use super::draft::FieldDraft;
use super::files::FieldPart;
use super::footer_layout::FooterSection;
use super::min_max_column::MinMaxColumn;
use super::statistics::FieldStats;
use super::{FragmentName, TileBytes};
use crate::schema::{ArraySchema, Field};
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::CellValNum;
use tiledb_core::wire::WireWriter;
use tiledb_filters::tile::{FragmentStats, StatsKind, TileStats, stats_kind};
use tiledb_storage::vfs::{SuspendedFile, WriteFile};

const NO_STATS: StatsKind = StatsKind { min_max: false, sum: false, null_count: false };

/// Writer of one field.
pub(super) struct FieldWriter {
    /// `None` for the unused place of coordinates.
    field: Option<Field>,
    /// Whether the fragment stores tiles of the field: dense ones store no dimensions.
    stored: bool,
    kind: StatsKind,
    cell_size: usize,
    files: [Option<WriteFile>; 3],
    sizes: [u64; 3],
    offsets: [Vec<u64>; 3],
    var_sizes: Vec<u64>,
    minima: MinMaxColumn,
    maxima: MinMaxColumn,
    sums: Vec<u8>,
    null_counts: Vec<u64>,
    stats: Option<FragmentStats>,
    totals: FieldStats,
}

impl FieldWriter {
    /// The entries of all tables, in their order.
    pub(super) fn all(schema: &ArraySchema, special: &[Field], dense: bool) -> Vec<FieldWriter> {
        let attributes = schema.attributes().len();
        let mut all = Vec::with_capacity(schema.field_count_in_fragment() + special.len());
        let of = |field: &Field| FieldWriter::new(field, !(dense && field.is_dimension));
        all.extend(schema.fields().iter().take(attributes).map(of));
        all.push(FieldWriter::coordinates(schema));
        all.extend(schema.fields().iter().skip(attributes).map(of));
        all.extend(special.iter().map(of));
        all
    }

    fn new(field: &Field, stored: bool) -> FieldWriter {
        let kind = match stored {
            true => stats_kind(field.datatype, field.cell_val_num, field.nullable, field.is_dimension),
            false => NO_STATS,
        };
        FieldWriter {
            cell_size: field.cell_size(),
            stats: stored.then(|| FragmentStats::new(field.datatype, kind)),
            field: Some(field.clone()),
            ..FieldWriter::empty(stored, kind)
        }
    }

    /// The place that coordinates had before dimensions were fields: zeros only.
    fn coordinates(schema: &ArraySchema) -> FieldWriter {
        let dimensions = schema.domain().dimensions();
        let Some(first) = dimensions.first() else { return FieldWriter::empty(false, NO_STATS) };
        let kind = stats_kind(first.datatype(), CellValNum::ONE, false, false);
        let mut writer = FieldWriter::empty(false, kind);
        writer.cell_size = dimensions.len() * first.datatype().size();
        if kind.min_max {
            writer.totals.min = vec![0; first.datatype().size()];
            writer.totals.max = writer.totals.min.clone();
        }
        writer
    }

    fn empty(stored: bool, kind: StatsKind) -> FieldWriter {
        FieldWriter {
            field: None,
            stored,
            kind,
            cell_size: 0,
            files: [None, None, None],
            sizes: [0; 3],
            offsets: Default::default(),
            var_sizes: Vec::new(),
            minima: MinMaxColumn::default(),
            maxima: MinMaxColumn::default(),
            sums: Vec::new(),
            null_counts: Vec::new(),
            stats: None,
            totals: FieldStats::default(),
        }
    }

    /// True if this is the entry of `field` and takes its tiles.
    pub(super) fn holds(&self, field: &Field) -> bool {
        self.stored && self.field.as_ref().is_some_and(|own| own.name == field.name)
    }

    /// Bytes in the data files.
    pub(super) fn size(&self) -> u64 {
        self.sizes.iter().sum()
    }

    /// The size of a part's file.
    pub(super) fn file_size(&self, section: FooterSection) -> u64 {
        match section {
            FooterSection::FileSize => self.sizes[0],
            FooterSection::VarFileSize => self.sizes[1],
            _ => self.sizes[2],
        }
    }

    /// Appends a tile; `create` opens the file of a part at its first bytes.
    pub(super) fn append(
        &mut self,
        tile: &dyn TileBytes,
        create: impl Fn(FieldPart) -> Result<WriteFile>,
    ) -> Result<()> {
        let (is_var, nullable, name) = match &self.field {
            Some(field) => (field.is_var(), field.nullable, field.name.as_str()),
            None => (false, false, ""),
        };
        if is_var != tile.var_size().is_some() || nullable != tile.has_validity() {
            bail!(Internal, "A tile of field '{name}' has not the parts that the field needs");
        }
        self.begin();
        for (part, is_there) in [(FieldPart::Data, true), (FieldPart::Var, is_var), (FieldPart::Validity, nullable)] {
            if is_there {
                tile.write(part, &mut |pieces| self.write(part, pieces, &create))?;
            }
        }
        self.end(tile.var_size().unwrap_or(0), tile.stats());
        Ok(())
    }

    /// Begins the next tile.
    pub(super) fn begin(&mut self) {
        self.offsets.iter_mut().zip(self.sizes).for_each(|(offsets, size)| offsets.push(size));
    }

    /// Writes bytes of a part of the tile that was begun; `create` opens its file at its first bytes.
    pub(super) fn write(
        &mut self,
        part: FieldPart,
        pieces: &[&[u8]],
        create: &impl Fn(FieldPart) -> Result<WriteFile>,
    ) -> Result<()> {
        let place = part as usize;
        let file = match &mut self.files[place] {
            Some(file) => file,
            slot => slot.insert(create(part)?),
        };
        file.write_pieces(pieces)?;
        self.sizes[place] += pieces.iter().map(|piece| piece.len() as u64).sum::<u64>();
        Ok(())
    }

    /// Completes the tile that was begun.
    pub(super) fn end(&mut self, var_size: u64, stats: &TileStats) {
        self.var_sizes.push(var_size);
        self.add_stats(stats, self.is_var());
    }

    fn add_stats(&mut self, stats: &TileStats, is_var: bool) {
        if self.kind.min_max {
            self.minima.push(&stats.min, self.cell_size, is_var);
            self.maxima.push(&stats.max, self.cell_size, is_var);
        }
        if self.kind.sum {
            self.sums.extend_from_slice(&stats.sum);
        }
        if self.kind.null_count {
            self.null_counts.push(stats.null_count);
        }
        if let Some(all) = &mut self.stats {
            all.add(stats);
        }
    }

    /// State of a fragment with `tiles` tiles, whose files are closed so that another writer can continue. The tables of a
    /// field without tiles are zeros.
    pub(super) fn draft(&mut self, tiles: u64) -> Result<FieldDraft> {
        if self.offsets[0].is_empty() {
            return self.unwritten(tiles as usize);
        }
        let mut files = [SuspendedFile::default(), SuspendedFile::default(), SuspendedFile::default()];
        for (draft, file) in files.iter_mut().zip(&mut self.files) {
            *draft = file.take().map_or_else(|| Ok(SuspendedFile::default()), WriteFile::suspend)?;
        }
        Ok(FieldDraft {
            files,
            offsets: self.offsets.clone(),
            var_sizes: self.var_sizes.clone(),
            minima: [self.minima.fixed.clone(), self.minima.var.clone()],
            maxima: [self.maxima.fixed.clone(), self.maxima.var.clone()],
            sums: self.sums.clone(),
            null_counts: self.null_counts.clone(),
        })
    }

    fn unwritten(&self, tiles: usize) -> Result<FieldDraft> {
        let is_var = self.is_var();
        let width = if is_var { size_of::<u64>() } else { self.cell_size };
        let words = || memory::filled("tables of a field", 0, tiles);
        let bytes = |is_there: bool, width: usize| {
            memory::filled("statistics of a field", 0, if is_there { tiles.saturating_mul(width) } else { 0 })
        };
        Ok(FieldDraft {
            offsets: [words()?, words()?, words()?],
            var_sizes: words()?,
            minima: [bytes(self.kind.min_max, width)?, Vec::new()],
            maxima: [bytes(self.kind.min_max, width)?, Vec::new()],
            sums: bytes(self.kind.sum, 8)?,
            null_counts: if self.kind.null_count { words()? } else { Vec::new() },
            ..FieldDraft::default()
        })
    }

    /// Resumes from a draft of another writer. All its tiles have the same number of cells, except that the last one may have
    /// fewer; `open` reopens the file of a part.
    ///
    /// # Errors
    /// If the tables are inconsistent.
    pub(super) fn resume(
        &mut self,
        draft: FieldDraft,
        tiles: u64,
        (cells, last): (u64, u64),
        open: impl Fn(&Field, FieldPart, &SuspendedFile) -> Result<WriteFile>,
    ) -> Result<()> {
        let Some(own) = self.field.clone().filter(|_| self.stored) else { return Ok(()) };
        let sizes = draft.files.each_ref().map(|file| file.size);
        if sizes[0] == 0 {
            // Every tile has bytes there: none was written.
            return Ok(());
        }
        for (place, part) in [FieldPart::Data, FieldPart::Var, FieldPart::Validity].into_iter().enumerate() {
            let file = &draft.files[place];
            self.files[place] = if file.size > 0 { Some(open(&own, part, file)?) } else { None };
        }
        let is_var = own.is_var();
        let nullable = own.nullable;
        let has = |table: usize, is_there: bool| table as u64 == if is_there { tiles } else { 0 };
        let ascend = |part: usize| draft.offsets[part].is_sorted() && draft.offsets[part].last() <= Some(&sizes[part]);
        let fits = has(draft.offsets[0].len(), true)
            && (!self.kind.null_count || has(draft.null_counts.len(), true))
            && (!self.kind.sum || draft.sums.len() as u64 == tiles.saturating_mul(8))
            && (!is_var || has(draft.offsets[1].len(), true) && has(draft.var_sizes.len(), true))
            && (!nullable || has(draft.offsets[2].len(), true))
            && (0..3).all(ascend);
        if !fits {
            bail!(Corrupt, "Cannot go on with the write; the tables of field '{}' do not have {tiles} tiles", own.name);
        }
        self.sizes = sizes;
        self.offsets = draft.offsets;
        // Tables of parts that the field does not have are as long as the others.
        self.offsets.iter_mut().for_each(|offsets| offsets.resize(tiles as usize, 0));
        self.var_sizes = draft.var_sizes;
        self.var_sizes.resize(tiles as usize, 0);
        let ([fixed, var], [max_fixed, max_var]) = (draft.minima, draft.maxima);
        let minima = MinMaxColumn { fixed, var };
        let maxima = MinMaxColumn { fixed: max_fixed, var: max_var };
        for tile in 0..tiles as usize {
            let mut stats = TileStats::default();
            if self.kind.min_max {
                let value = |extremes: &MinMaxColumn| extremes.value(tile, self.cell_size, is_var).map(<[u8]>::to_vec);
                let (Some(min), Some(max)) = (value(&minima), value(&maxima)) else {
                    bail!(
                        Corrupt,
                        "Cannot go on with the write; the least and greatest cells do not have {tiles} tiles"
                    );
                };
                (stats.min, stats.max) = (min, max);
            }
            if self.kind.sum {
                stats.sum.copy_from_slice(&draft.sums[8 * tile..8 * tile + 8]);
            }
            stats.null_count = draft.null_counts.get(tile).copied().unwrap_or(0);
            let cells = if tile as u64 + 1 == tiles { last } else { cells };
            stats.valid_count = cells.saturating_sub(stats.null_count);
            self.add_stats(&stats, is_var);
        }
        Ok(())
    }

    /// Completes the tables to `tiles` entries, and gives the data files, which are to be made durable.
    pub(super) fn complete(
        &mut self,
        tiles: u64,
        fragment: &FragmentName,
    ) -> Result<impl Iterator<Item = WriteFile> + use<'_>> {
        let written = self.offsets[0].len() as u64;
        if self.stored && written != tiles {
            let name = self.field.as_ref().map_or("", |field| field.name.as_str());
            bail!(Internal, "Fragment '{fragment}': {written} tiles of field '{name}' were written, {tiles} are due");
        }
        if !self.stored {
            self.fill_zeros(tiles as usize);
        }
        if let Some(all) = self.stats.take() {
            let TileStats { min, max, sum, null_count, .. } = all.finish();
            self.totals = FieldStats { min, max, sum, null_count };
        }
        Ok(self.files.iter_mut().filter_map(Option::take))
    }

    /// Entries of a field without tiles.
    fn fill_zeros(&mut self, tiles: usize) {
        self.offsets = [vec![0; tiles], vec![0; tiles], vec![0; tiles]];
        self.var_sizes = vec![0; tiles];
        if self.kind.min_max {
            self.minima.fixed = vec![0; tiles * self.cell_size];
            self.maxima.fixed = vec![0; tiles * self.cell_size];
        }
        if self.kind.sum {
            self.sums = vec![0; tiles * 8];
        }
    }

    /// True if the field has cells of any size.
    pub(super) fn is_var(&self) -> bool {
        self.field.as_ref().is_some_and(Field::is_var)
    }

    /// Appends the payload of one of the field's tables.
    pub(super) fn write_table(&self, section: FooterSection, w: &mut WireWriter) {
        let words = |words: &[u64], w: &mut WireWriter| {
            w.u64(words.len() as u64).words(words);
        };
        match section {
            FooterSection::Offsets => words(&self.offsets[0], w),
            FooterSection::VarOffsets => words(&self.offsets[1], w),
            FooterSection::VarSizes => words(&self.var_sizes, w),
            FooterSection::ValidityOffsets => words(&self.offsets[2], w),
            FooterSection::Minima => self.minima.write(w),
            FooterSection::Maxima => self.maxima.write(w),
            FooterSection::Sums => {
                w.u64(self.sums.len() as u64 / 8).bytes(&self.sums);
            }
            _ => words(&self.null_counts, w),
        }
    }

    /// The statistics over all tiles.
    pub(super) fn totals(&self) -> &FieldStats {
        &self.totals
    }
}
