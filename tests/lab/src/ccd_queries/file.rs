//! The public form of linear-motion queries: eight rows a query, comma-separated integers.
//!
//! A row holds a point and the query's label: three rational coordinates as numerator and
//! denominator, then 1 (they touch) or 0. The first four rows are the points at time 0, the others
//! at time 1: `v f0 f1 f2`, or `a0 a1 b0 b1`. The file does not say which of the two.

use std::fmt::Write;
use std::path::Path;

use hapticd_oracle::cases::Points;
use hapticd_oracle::{BigInt, BigRational, Features, nearest_f64};

/// A query with its truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Labelled {
    /// Meaning of the points.
    pub features: Features,
    /// Points at time 0, rounded to `f64` if the file has other numbers.
    pub start: Points,
    /// Points at time 1.
    pub end: Points,
    /// Label of the file: whether the features touch, for the coordinates before rounding.
    pub touch: bool,
    /// Whether a coordinate was rounded.
    pub rounded: bool,
}

/// Number of rows of a query.
const ROWS: usize = 8;

/// Returns the kind of a file's features, from its name or its folder's; `Err` says why it is
/// unknown.
pub fn kind_of(path: &Path) -> Result<Features, String> {
    let names = [path.file_stem(), path.parent().and_then(Path::file_name)];
    for name in names.into_iter().flatten() {
        let name = name.to_string_lossy().to_lowercase();
        let word = |w: &str| {
            name.split(|c: char| !c.is_alphanumeric())
                .any(|part| part == w)
        };
        let vf = name.contains("vertex-face") || word("vf");
        let ee = name.contains("edge-edge") || word("ee");
        match (vf, ee) {
            (true, false) => return Ok(Features::VertexFace),
            (false, true) => return Ok(Features::EdgeEdge),
            _ => {}
        }
    }
    Err(format!(
        "{}: neither file nor folder name says vertex-face or edge-edge; use --kind vf or --kind ee",
        path.display()
    ))
}

/// Parses the queries of a text; an error begins with the line's number.
pub fn parse(text: &str, features: Features) -> Result<Vec<Labelled>, String> {
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if !line.trim().is_empty() {
            rows.push((
                i + 1,
                row(line).map_err(|why| format!("line {}: {why}", i + 1))?,
            ));
        }
    }
    if rows.is_empty() {
        return Err("line 1: no queries".into());
    }
    let whole = rows.len() / ROWS * ROWS;
    if whole < rows.len() {
        return Err(format!(
            "line {}: the last query has {} rows of {ROWS}",
            rows[rows.len() - 1].0,
            rows.len() - whole
        ));
    }
    rows.chunks(ROWS)
        .map(|rows| {
            let touch = rows[0].1.touch;
            if let Some((line, _)) = rows.iter().find(|(_, row)| row.touch != touch) {
                return Err(format!(
                    "line {line}: the label is not that of the query's first row"
                ));
            }
            let points = |from: usize| std::array::from_fn(|i| rows[from + i].1.point);
            Ok(Labelled {
                features,
                start: points(0),
                end: points(4),
                touch,
                rounded: rows.iter().any(|(_, row)| row.rounded),
            })
        })
        .collect()
}

struct Row {
    point: [f64; 3],
    rounded: bool,
    touch: bool,
}

fn row(line: &str) -> Result<Row, String> {
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let fields: [&str; 7] =
        (fields.as_slice().try_into()).map_err(|_| format!("{} fields, not 7", fields.len()))?;
    let mut point = [0.0; 3];
    let mut rounded = false;
    for axis in 0..3 {
        let (x, exact) = coordinate(fields[2 * axis], fields[2 * axis + 1])?;
        point[axis] = x;
        rounded |= !exact;
    }
    let touch = match fields[6] {
        "0" => false,
        "1" => true,
        other => return Err(format!("label '{other}' is neither 0 nor 1")),
    };
    Ok(Row {
        point,
        rounded,
        touch,
    })
}

/// Returns the nearest `f64`, and whether it equals the quotient.
fn coordinate(numerator: &str, denominator: &str) -> Result<(f64, bool), String> {
    let integer = |s: &str| {
        s.parse::<BigInt>()
            .map_err(|_| format!("'{s}' is not an integer"))
    };
    let (n, d) = (integer(numerator)?, integer(denominator)?);
    if d == BigInt::ZERO {
        return Err(format!("{numerator}/0 is not a number"));
    }
    let exact = BigRational::new(n, d);
    let x = nearest_f64(&exact);
    if !x.is_finite() {
        return Err(format!("{numerator}/{denominator} is too large"));
    }
    Ok((
        x,
        BigRational::from_float(x).is_some_and(|back| back == exact),
    ))
}

/// Writes queries in this form.
pub fn write(queries: &[Labelled]) -> String {
    let mut text = String::new();
    for query in queries {
        for point in query.start.iter().chain(&query.end) {
            for &x in point {
                // Coordinates are finite: they were read or generated as such.
                let exact = BigRational::from_float(x).unwrap_or_default();
                let _ = write!(text, "{},{},", exact.numer(), exact.denom());
            }
            let _ = writeln!(text, "{}", u8::from(query.touch));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "1,2,0,1,-3,4,1\n";

    fn error(text: &str) -> String {
        parse(text, Features::EdgeEdge).unwrap_err()
    }

    #[test]
    fn eight_rows_are_a_query() {
        let queries = parse(&ROW.repeat(16), Features::VertexFace).expect("well formed");
        assert_eq!(queries.len(), 2);
        assert_eq!(queries[1].end[3], [0.5, 0.0, -0.75]);
        assert!(queries[0].touch && !queries[0].rounded);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut query = parse(&ROW.repeat(8), Features::EdgeEdge)
            .expect("well formed")
            .remove(0);
        query.start[1] = [1e-300, -0.1, 1e22];
        query.touch = false;
        let all = [query.clone(), query];
        assert_eq!(
            parse(&write(&all), Features::EdgeEdge).as_deref(),
            Ok(&all[..])
        );
    }

    #[test]
    fn numbers_between_two_floats_are_rounded_and_marked() {
        let third = "1,3,0,1,123456789012345678901234567890,7,1\n".to_owned() + &ROW.repeat(7);
        let query = parse(&third, Features::VertexFace)
            .expect("well formed")
            .remove(0);
        assert_eq!(
            query.start[0],
            [
                1.0 / 3.0,
                0.0,
                123_456_789_012_345_678_901_234_567_890.0 / 7.0
            ]
        );
        assert!(query.rounded);
    }

    #[test]
    fn errors_name_the_line() {
        assert_eq!(error(""), "line 1: no queries");
        assert_eq!(
            error(&ROW.repeat(9)),
            "line 9: the last query has 1 rows of 8"
        );
        assert_eq!(error("1,2,3\n"), "line 1: 3 fields, not 7");
        assert_eq!(
            error(&(ROW.repeat(2) + "1,2,x,1,3,4,1")),
            "line 3: 'x' is not an integer"
        );
        assert_eq!(error("1,0,0,1,0,1,1"), "line 1: 1/0 is not a number");
        assert_eq!(
            error("1,1,0,1,0,1,2"),
            "line 1: label '2' is neither 0 nor 1"
        );
        let mixed = ROW.repeat(7) + "1,2,0,1,-3,4,0\n";
        assert_eq!(
            error(&mixed),
            "line 8: the label is not that of the query's first row"
        );
        let huge = format!("1{},1,0,1,0,1,0", "0".repeat(400));
        assert!(error(&huge).starts_with("line 1: 1000") && error(&huge).ends_with("too large"));
    }

    #[test]
    fn names_tell_the_kind() {
        let kind = |path: &str| kind_of(Path::new(path)).ok();
        assert_eq!(kind("a/vertex-face/data_0.csv"), Some(Features::VertexFace));
        assert_eq!(kind("a/b/0ee.csv"), None);
        assert_eq!(kind("chain_ee_3.csv"), Some(Features::EdgeEdge));
        assert_eq!(kind("vertex-face/edge-edge.csv"), Some(Features::EdgeEdge));
        assert_eq!(kind("tree/needle.csv"), None);
        assert_eq!(kind("edge-edge/x/data.csv"), None);
    }
}
