//! The header of a NRRD file: lines of fields, in any order, up to an empty line.

use nalgebra::Rotation3;

use super::NrrdProblem;
use crate::load::excerpt;
use crate::pose::{Mat3, Pose, Quat, Vec3};
use crate::volume::{Volume, VolumeFault, nodes_of};

/// Type of a sample in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// Names of the types; errors use the first of each.
const KINDS: [(Kind, &[&str]); 8] = [
    (Kind::I8, &["int8", "signed char", "int8_t"]),
    (Kind::U8, &["uint8", "uchar", "unsigned char", "uint8_t"]),
    (
        Kind::I16,
        &[
            "int16",
            "short",
            "short int",
            "signed short",
            "signed short int",
            "int16_t",
        ],
    ),
    (
        Kind::U16,
        &[
            "uint16",
            "ushort",
            "unsigned short",
            "unsigned short int",
            "uint16_t",
        ],
    ),
    (Kind::I32, &["int32", "int", "signed int", "int32_t"]),
    (Kind::U32, &["uint32", "uint", "unsigned int", "uint32_t"]),
    (Kind::F32, &["float"]),
    (Kind::F64, &["double"]),
];

impl Kind {
    pub fn bytes(self) -> usize {
        match self {
            Kind::I8 | Kind::U8 => 1,
            Kind::I16 | Kind::U16 => 2,
            Kind::I32 | Kind::U32 | Kind::F32 => 4,
            Kind::F64 => 8,
        }
    }

    pub fn name(self) -> &'static str {
        let entry = KINDS.iter().find(|(kind, _)| *kind == self);
        entry.map_or("", |(_, names)| names[0])
    }

    /// Parses a word of this type. `nan` and `inf` are accepted here and refused later, with their
    /// position.
    pub fn parse(self, text: &str) -> Option<f32> {
        Some(match self {
            Kind::I8 => f32::from(text.parse::<i8>().ok()?),
            Kind::U8 => f32::from(text.parse::<u8>().ok()?),
            Kind::I16 => f32::from(text.parse::<i16>().ok()?),
            Kind::U16 => f32::from(text.parse::<u16>().ok()?),
            Kind::I32 => text.parse::<i32>().ok()? as f32,
            Kind::U32 => text.parse::<u32>().ok()? as f32,
            Kind::F32 => text.parse().ok()?,
            Kind::F64 => text.parse::<f64>().ok()? as f32,
        })
    }
}

/// How samples are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Raw,
    Ascii,
    Gzip,
}

/// Names of lengths, and their size in m.
pub(super) const UNITS: [(&str, f64); 9] = [
    ("m", 1.0),
    ("mm", 1e-3),
    ("cm", 1e-2),
    ("um", 1e-6),
    ("\u{b5}m", 1e-6),
    ("nm", 1e-9),
    ("meter", 1.0),
    ("millimeter", 1e-3),
    ("micron", 1e-6),
];

/// Fields that are used, with spaces removed; the position of a field is its slot.
const USED: [&str; 15] = [
    "type",
    "dimension",
    "sizes",
    "encoding",
    "endian",
    "spacings",
    "space",
    "spacedimension",
    "spacedirections",
    "spaceorigin",
    "spaceunits",
    "units",
    "datafile",
    "lineskip",
    "byteskip",
];

/// Fields that affect neither the position nor the meaning of samples.
const IGNORED_FIELDS: [&str; 17] = [
    "content",
    "min",
    "max",
    "oldmin",
    "oldmax",
    "number",
    "sampleunits",
    "thicknesses",
    "centers",
    "centerings",
    "labels",
    "kinds",
    "measurementframe",
    "blocksize",
    "axismaxs",
    "modality",
    "dwmri",
];

/// Everything that is needed from the header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    pub kind: Kind,
    pub encoding: Encoding,
    pub big_endian: bool,
    pub line_skip: u64,
    /// Below 0: all but the samples.
    pub byte_skip: i64,
    /// File that holds the samples if they do not follow, and the line that names it.
    pub data_file: Option<(usize, String)>,
    nodes: [u32; 3],
    spacing: [f64; 3],
    frame: Pose,
    unit_m: Option<f64>,
    /// The volume's first axis runs against the file's.
    first_axis_reversed: bool,
}

/// A field's text and its line.
#[derive(Clone, Copy)]
struct Field<'a> {
    line: usize,
    text: &'a str,
}

impl<'a> Field<'a> {
    fn expected(self, expected: &'static str) -> NrrdProblem {
        NrrdProblem::Syntax {
            line: self.line,
            expected,
            found: excerpt(self.text.as_bytes()),
        }
    }

    fn unsupported(self, what: &'static str) -> NrrdProblem {
        NrrdProblem::Unsupported {
            line: self.line,
            what,
        }
    }

    fn fault(self, fault: VolumeFault) -> NrrdProblem {
        NrrdProblem::Header {
            line: self.line,
            fault,
        }
    }

    /// Lower-cased text.
    fn lower(self) -> String {
        self.text.to_ascii_lowercase()
    }

    /// Parses exactly three words, one for each axis.
    fn three<T: std::str::FromStr>(self, expected: &'static str) -> Result<[T; 3], NrrdProblem> {
        let mut words = self.text.split_ascii_whitespace().map(str::parse);
        let mut next = || words.next().and_then(Result::ok);
        let found = [next(), next(), next()];
        match (found, words.next()) {
            ([Some(a), Some(b), Some(c)], None) => Ok([a, b, c]),
            _ => Err(self.expected(expected)),
        }
    }

    /// Parses `N` vectors in parentheses, three numbers each, and nothing else.
    fn vectors<const N: usize>(self, expected: &'static str) -> Result<[Vec3; N], NrrdProblem> {
        let error = || self.expected(expected);
        let mut rest = self.text.trim();
        let mut out = [Vec3::zeros(); N];
        for vector in &mut out {
            let (inner, after) = (rest.strip_prefix('('))
                .and_then(|rest| rest.split_once(')'))
                .ok_or_else(error)?;
            let mut words = inner.split(',');
            for x in vector.iter_mut() {
                let word = words.next().ok_or_else(error)?;
                *x = word.trim().parse().map_err(|_| error())?;
            }
            if words.next().is_some() {
                return Err(error());
            }
            rest = after.trim_start();
        }
        if rest.is_empty() {
            Ok(out)
        } else {
            Err(error())
        }
    }

    /// Returns the length of the unit that the quoted names of all axes share; `None` if it is
    /// unknown.
    fn unit_m(self) -> Result<Option<f64>, NrrdProblem> {
        let mut units = self.text.split('"');
        let mut all = [""; 3];
        for unit in &mut all {
            units.next();
            *unit = units
                .next()
                .ok_or_else(|| self.expected("three units in quotes"))?;
        }
        if all.iter().any(|unit| *unit != all[0]) {
            return Err(self.unsupported("axes in different units"));
        }
        let named = all[0].trim();
        let known = UNITS.iter().find(|(name, _)| *name == named);
        Ok(known.map(|(_, m)| *m))
    }
}

/// The fields of the header, by slot.
struct Fields<'a>([Option<Field<'a>>; USED.len()]);

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<Field<'a>> {
        let slot = USED.iter().position(|used| *used == name)?;
        self.0[slot]
    }

    fn need(&self, name: &'static str) -> Result<Field<'a>, NrrdProblem> {
        self.get(name).ok_or(NrrdProblem::Missing(name))
    }
}

impl Header {
    /// Parses the header at the beginning of a file; also returns the bytes after it.
    pub fn parse(bytes: &[u8]) -> Result<(Header, &[u8]), NrrdProblem> {
        let (fields, rest) = lines(bytes)?;
        Ok((Header::of(&fields)?, rest))
    }

    /// Returns the number of samples.
    pub fn count(&self) -> u64 {
        self.nodes.iter().map(|n| u64::from(*n)).product()
    }

    /// Builds the volume from samples in the file's order.
    pub fn volume(&self, samples: Vec<f32>) -> Result<Volume, NrrdProblem> {
        let made = Volume::new(self.frame, self.spacing, self.nodes, samples);
        let mut volume = made.map_err(NrrdProblem::Volume)?;
        if self.first_axis_reversed {
            let rows = volume.samples.chunks_exact_mut(self.nodes[0] as usize);
            rows.for_each(<[f32]>::reverse);
        }
        volume.unit_m = self.unit_m;
        Ok(volume)
    }

    fn of(fields: &Fields<'_>) -> Result<Header, NrrdProblem> {
        let dimension = fields.need("dimension")?;
        match dimension.text.parse::<u32>() {
            Ok(3) => {}
            Ok(_) => {
                let what = "other than three axes: remove colours, time and directions";
                return Err(dimension.unsupported(what));
            }
            Err(_) => return Err(dimension.expected("a number of axes")),
        }
        let sizes = fields.need("sizes")?;
        let nodes = nodes_of(sizes.three("three numbers of samples")?);
        let nodes = nodes.map_err(|fault| sizes.fault(fault))?;
        let kind = kind(fields.need("type")?)?;
        let encoding = encoding(fields.need("encoding")?)?;
        let big_endian = match fields.get("endian") {
            Some(field) => match &field.lower()[..] {
                "little" => false,
                "big" => true,
                _ => return Err(field.expected("`little` or `big`")),
            },
            None if kind.bytes() == 1 || encoding == Encoding::Ascii => false,
            None => return Err(NrrdProblem::Missing("endian")),
        };
        let (line_skip, byte_skip) = skips(fields, encoding)?;
        let place = Place::of(fields, nodes)?;
        let unit = fields.get("spaceunits").or(fields.get("units"));
        Ok(Header {
            kind,
            encoding,
            big_endian,
            line_skip,
            byte_skip,
            data_file: fields.get("datafile").map(data_file).transpose()?,
            nodes,
            spacing: place.spacing,
            frame: place.frame,
            unit_m: unit.map(Field::unit_m).transpose()?.flatten(),
            first_axis_reversed: place.first_axis_reversed,
        })
    }
}

/// Reads the fields up to the first empty line or the end.
fn lines(bytes: &[u8]) -> Result<(Fields<'_>, &[u8]), NrrdProblem> {
    let mut fields = Fields([None; USED.len()]);
    let (mut rest, mut line) = (bytes, 0);
    while !rest.is_empty() {
        line += 1;
        let end = rest.iter().position(|b| *b == b'\n');
        let (this, after) = match end {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None => (rest, &rest[rest.len()..]),
        };
        rest = after;
        let this = this.strip_suffix(b"\r").unwrap_or(this);
        if line == 1 {
            if !matches!(
                this,
                [b'N', b'R', b'R', b'D', b'0', b'0', b'0', b'1'..=b'5']
            ) {
                let found = excerpt(this);
                return Err(NrrdProblem::Magic { found });
            }
            continue;
        }
        if this.is_empty() {
            return Ok((fields, rest));
        }
        if this[0] != b'#' {
            take(&mut fields, line, this)?;
        }
    }
    match line {
        0 => Err(NrrdProblem::Magic {
            found: String::new(),
        }),
        _ => Ok((fields, rest)),
    }
}

/// Records the field of one line.
fn take<'a>(fields: &mut Fields<'a>, line: usize, bytes: &'a [u8]) -> Result<(), NrrdProblem> {
    let expected = |expected| NrrdProblem::Syntax {
        line,
        expected,
        found: excerpt(bytes),
    };
    let text = std::str::from_utf8(bytes).map_err(|_| expected("a text in UTF-8"))?;
    let (name, text) = text
        .split_once(':')
        .ok_or_else(|| expected("`field: text`, `key:=value`, `# comment` or an empty line"))?;
    if text.starts_with('=') {
        return Ok(());
    }
    let mut short = name.to_ascii_lowercase();
    short.retain(|c| c != ' ');
    let Some(slot) = USED.iter().position(|used| *used == short) else {
        if short == "axismins" {
            return Err(NrrdProblem::Unsupported {
                line,
                what: "`axis mins`: use `space origin` and `space directions`",
            });
        }
        if IGNORED_FIELDS.contains(&&short[..]) {
            return Ok(());
        }
        let field = excerpt(name.as_bytes());
        return Err(NrrdProblem::UnknownField { line, field });
    };
    if let Some(first) = fields.0[slot] {
        return Err(NrrdProblem::Twice {
            line,
            first: first.line,
            field: USED[slot],
        });
    }
    let text = text.trim();
    fields.0[slot] = Some(Field { line, text });
    Ok(())
}

fn kind(field: Field<'_>) -> Result<Kind, NrrdProblem> {
    let name = field.lower();
    let known = KINDS.iter().find(|(_, names)| names.contains(&&name[..]));
    match known {
        Some((kind, _)) => Ok(*kind),
        None if name == "block" || name.contains("64") || name.contains("long") => {
            Err(field.unsupported("samples that are 64-bit integers or not numbers"))
        }
        None => Err(field.expected("int8, uint8, int16, uint16, int32, uint32, float or double")),
    }
}

fn encoding(field: Field<'_>) -> Result<Encoding, NrrdProblem> {
    match &field.lower()[..] {
        "raw" => Ok(Encoding::Raw),
        "ascii" | "text" | "txt" => Ok(Encoding::Ascii),
        "gzip" | "gz" => Ok(Encoding::Gzip),
        "hex" | "bzip2" | "bz2" => {
            Err(field.unsupported("samples in hexadecimal or bzip2: use raw, ascii or gzip"))
        }
        _ => Err(field.expected("raw, ascii or gzip")),
    }
}

fn skips(fields: &Fields<'_>, encoding: Encoding) -> Result<(u64, i64), NrrdProblem> {
    let lines = match fields.get("lineskip") {
        Some(field) => (field.text.parse()).map_err(|_| field.expected("a number of lines"))?,
        None => 0,
    };
    let bytes = match fields.get("byteskip") {
        Some(field) => match field.text.parse::<i64>() {
            Ok(-1) if encoding != Encoding::Raw => {
                return Err(field.unsupported("byte skip -1 with samples that are not raw"));
            }
            Ok(count) if count >= -1 => count,
            _ => return Err(field.expected("a number of bytes, or -1")),
        },
        None => 0,
    };
    Ok((lines, bytes))
}

/// Accepts only a name below the header's folder, so that a header cannot make the program read
/// other files.
fn data_file(field: Field<'_>) -> Result<(usize, String), NrrdProblem> {
    use std::path::{Component, Path};
    let name = field.text;
    let first = name.split_ascii_whitespace().next().unwrap_or("");
    if first == "LIST" || first.contains('%') {
        return Err(field.unsupported("samples in more than one file"));
    }
    let mut parts = Path::new(name).components();
    let below = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if name.is_empty() || name.contains('\0') || !below {
        return Err(field.expected("the name of a file beside this one"));
    }
    Ok((field.line, name.to_owned()))
}

/// Position of the samples.
struct Place {
    frame: Pose,
    spacing: [f64; 3],
    first_axis_reversed: bool,
}

impl Place {
    fn of(fields: &Fields<'_>, nodes: [u32; 3]) -> Result<Place, NrrdProblem> {
        if let Some(space) = fields.get("space") {
            check_space(space)?;
        }
        if let Some(field) = fields.get("spacedimension")
            && field.text != "3"
        {
            return Err(field.unsupported("a space of other than three dimensions"));
        }
        let origin = match fields.get("spaceorigin") {
            Some(field) => {
                let [origin] = field.vectors("a vector `(x,y,z)`")?;
                if !origin.iter().all(|x| x.is_finite()) {
                    return Err(field.fault(VolumeFault::Origin(origin.into())));
                }
                origin
            }
            None => Vec3::zeros(),
        };
        match (fields.get("spacedirections"), fields.get("spacings")) {
            (Some(_), Some(field)) => {
                Err(field.unsupported("`spacings` next to `space directions`"))
            }
            (Some(field), None) => Place::along(field, origin, nodes),
            (None, Some(field)) => {
                let spacing = field.three("three distances")?;
                check_spacing(field, spacing)?;
                Ok(Place {
                    frame: Pose::translation(origin.x, origin.y, origin.z),
                    spacing,
                    first_axis_reversed: false,
                })
            }
            (None, None) => Err(NrrdProblem::Missing("space directions` or `spacings")),
        }
    }

    /// Builds the place from the vectors between neighbouring samples.
    fn along(field: Field<'_>, origin: Vec3, nodes: [u32; 3]) -> Result<Place, NrrdProblem> {
        if field.lower().contains("none") {
            return Err(field.unsupported("an axis that is not spatial"));
        }
        let mut axes: [Vec3; 3] = field.vectors("three vectors `(x,y,z)`")?;
        let spacing = axes.map(|axis| axis.norm());
        check_spacing(field, spacing)?;
        for (first, second) in [(0, 1), (1, 2), (0, 2)] {
            let cosine = axes[first].dot(&axes[second]) / (spacing[first] * spacing[second]);
            // Not `>`: NaN is not an angle.
            if !(cosine.abs() <= SQUARE) {
                return Err(NrrdProblem::Sheared {
                    line: field.line,
                    first: first + 1,
                    second: second + 1,
                    degrees: cosine.clamp(-1.0, 1.0).acos().to_degrees(),
                });
            }
        }
        let mut origin = origin;
        let first_axis_reversed = axes[0].cross(&axes[1]).dot(&axes[2]) < 0.0;
        if first_axis_reversed {
            origin += axes[0] * f64::from(nodes[0] - 1);
            axes[0] = -axes[0];
        }
        // Orthogonal to the last bit, whatever the digits in the file are.
        let x = axes[0] / spacing[0];
        let z = x.cross(&axes[1]);
        let z = z / z.norm();
        let turn = Mat3::from_columns(&[x, z.cross(&x), z]);
        let turn = Quat::from_rotation_matrix(&Rotation3::from_matrix_unchecked(turn));
        Ok(Place {
            frame: Pose::from_parts(origin.into(), turn),
            spacing,
            first_axis_reversed,
        })
    }
}

/// Largest cosine that counts as a right angle: files have as few as six digits.
const SQUARE: f64 = 1e-4;

fn check_spacing(field: Field<'_>, spacing: [f64; 3]) -> Result<(), NrrdProblem> {
    // So that products of three of them stay finite.
    let fits = |h: &f64| (1e-60..=1e60).contains(h);
    match spacing.iter().all(fits) {
        true => Ok(()),
        false => Err(field.fault(VolumeFault::Spacing(spacing))),
    }
}

fn check_space(field: Field<'_>) -> Result<(), NrrdProblem> {
    match &field.lower()[..] {
        "right-anterior-superior"
        | "ras"
        | "left-posterior-superior"
        | "lps"
        | "scanner-xyz"
        | "3d-right-handed" => Ok(()),
        "left-anterior-superior" | "las" | "3d-left-handed" => {
            Err(field.unsupported("a left-handed space: it would feel mirrored"))
        }
        name if name.ends_with("-time") || name.ends_with('t') => {
            Err(field.unsupported("a space with time"))
        }
        _ => Err(field.expected("the name of a space, such as `left-posterior-superior`")),
    }
}
