//! What is written reads back; malformed files are refused with their line; nothing panics.

use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::pose::{Pose, Quat, Vec3};
use crate::volume::skull::skull;

const HEADER: &str = "NRRD0005\n# a comment\ntype: uchar\ndimension: 3\nsizes: 2 3 2\nspacings: 1 2 3\nencoding: raw\nkey:=value: of any kind\n";

fn with(header: &str, data: &[u8]) -> Result<Volume, NrrdProblem> {
    let bytes = [header.as_bytes(), b"\n", data].concat();
    from_bytes(&bytes, "x").map_err(|e| e.problem)
}

fn says(header: &str, data: &[u8]) -> String {
    with(header, data).unwrap_err().to_string()
}

fn counted() -> Vec<u8> {
    (0..12).collect()
}

#[test]
fn a_volume_goes_to_a_file_and_comes_back() {
    let turn = Quat::from_euler_angles(0.3, -1.2, 2.5);
    for unit_m in [None, Some(0.001), Some(1.0)] {
        let made = skull(0.2, 24).unwrap();
        let volume = Volume {
            frame: Pose::from_parts(Vec3::new(0.1, -7.0, 1e-9).into(), turn),
            spacing: [0.1, 0.25, 1e3],
            unit_m,
            ..made
        };
        let mut bytes = Vec::new();
        write(&mut bytes, &volume).unwrap();
        let read = from_bytes(&bytes, "skull").unwrap();
        assert_eq!((&read.samples, read.nodes), (&volume.samples, volume.nodes));
        assert_eq!(read.unit_m, unit_m);
        assert_eq!(read.frame.translation, volume.frame.translation);
        assert!(read.frame.rotation.angle_to(&turn) < 1e-12);
        for k in 0..3 {
            assert!((read.spacing[k] / volume.spacing[k] - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn every_type_and_byte_order_and_encoding_is_the_same_volume() {
    let expected: Vec<f32> = (0..12).map(|i| i as f32).collect();
    let numbers = 0..12_u8;
    macro_rules! bytes {
        ($kind:ty, $order:ident) => {
            numbers
                .clone()
                .flat_map(|i| <$kind>::from(i).$order())
                .collect::<Vec<u8>>()
        };
    }
    let text: Vec<String> = numbers.clone().map(|i| i.to_string()).collect();
    let text = text
        .join(if numbers.len() > 3 { " \n" } else { "," })
        .into_bytes();
    let packed = |bytes: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    };
    for (kind, little, big) in [
        ("int8", (0..12).collect(), (0..12).collect()),
        ("unsigned char", counted(), counted()),
        ("short", bytes!(i16, to_le_bytes), bytes!(i16, to_be_bytes)),
        ("uint16", bytes!(u16, to_le_bytes), bytes!(u16, to_be_bytes)),
        ("int", bytes!(i32, to_le_bytes), bytes!(i32, to_be_bytes)),
        ("uint", bytes!(u32, to_le_bytes), bytes!(u32, to_be_bytes)),
        ("float", bytes!(f32, to_le_bytes), bytes!(f32, to_be_bytes)),
        ("DOUBLE", bytes!(f64, to_le_bytes), bytes!(f64, to_be_bytes)),
    ] {
        for (encoding, endian, data) in [
            ("raw", "little", little.clone()),
            ("raw", "big", big.clone()),
            ("gz", "little", packed(&little)),
            ("gzip", "big", packed(&big)),
            ("text", "little", text.clone()),
        ] {
            let header = HEADER
                .replace("uchar", kind)
                .replace("raw\n", &format!("{encoding}\nendian: {endian}\n"));
            let volume = with(&header, &data).unwrap();
            assert_eq!(volume.samples, expected, "{kind} {encoding} {endian}");
            assert_eq!(volume.spacing, [1.0, 2.0, 3.0]);
        }
    }
}

#[test]
fn lines_and_bytes_before_the_samples_are_skipped_and_line_ends_may_be_of_any_kind() {
    let data = [b"a line\nanother\n12345".as_slice(), &counted()].concat();
    let header = HEADER.to_owned() + "line skip: 2\nbyte skip: 5\n";
    let expected = with(HEADER, &counted()).unwrap();
    assert_eq!(with(&header, &data).unwrap(), expected);
    let header = HEADER.to_owned() + "byte skip: -1\n";
    assert_eq!(with(&header, &data).unwrap(), expected);
    let crlf = [HEADER.replace('\n', "\r\n").as_bytes(), b"\r\n", &counted()].concat();
    assert_eq!(from_bytes(&crlf, "x").unwrap(), expected);
}

#[test]
fn directions_turn_the_frame_and_left_handed_ones_the_first_axis() {
    let header = HEADER.replace(
        "spacings: 1 2 3",
        "space: left-posterior-superior\nspace directions: (0,-0.5,0) (2,0,0) (0,0,3)\nspace origin: (10, 20,30)\nspace units: \"mm\" \"mm\" \"mm\"",
    );
    let volume = with(&header, &counted()).unwrap();
    assert_eq!(volume.unit_m, Some(0.001));
    assert_eq!(volume.spacing, [0.5, 2.0, 3.0]);
    let place = |volume: &Volume, at: [f64; 3]| {
        let local = Vec3::from(at).component_mul(&Vec3::from(volume.spacing));
        volume.frame.transform_point(&local.into()).coords
    };
    let expected = Vec3::new(10.0 + 4.0, 20.0 - 0.5, 30.0 + 3.0);
    assert!((place(&volume, [1.0, 2.0, 1.0]) - expected).norm() < 1e-12);
    assert_eq!(volume.samples[11], 11.0);
    // The third axis downwards: the volume is the same from outside, sample by sample.
    let down = with(&header.replace("(0,0,3)", "(0,0,-3)"), &counted()).unwrap();
    assert!(
        down.frame
            .rotation
            .to_rotation_matrix()
            .matrix()
            .determinant()
            > 0.0
    );
    for (k, sample) in down.samples.iter().enumerate() {
        let at = [k % 2, k / 2 % 3, k / 6];
        let in_file = (at[2] * 3 + at[1]) * 2 + (1 - at[0]);
        assert_eq!(*sample, in_file as f32);
        let [x, y, z] = [1 - at[0], at[1], at[2]].map(|i| i as f64);
        let expected = Vec3::new(10.0 + 2.0 * y, 20.0 - 0.5 * x, 30.0 - 3.0 * z);
        let found = place(&down, at.map(|i| i as f64));
        assert!((found - expected).norm() < 1e-12, "{at:?}: {found:?}");
    }
}

#[test]
fn samples_may_be_in_a_file_beside_the_header_and_nowhere_else() {
    let folder = std::env::temp_dir().join(format!("nrrd-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("data")).unwrap();
    let header = |name: &str| HEADER.to_owned() + "data file: " + name + "\n";
    let path = folder.join("volume.nhdr");
    std::fs::write(folder.join("data/volume.raw"), counted()).unwrap();
    std::fs::write(&path, header("./data/volume.raw")).unwrap();
    let volume = load(&path).unwrap();
    assert_eq!(volume, with(HEADER, &counted()).unwrap());
    // Attached to their header they are the same, whether it ends with an empty line, a line end or
    // in the middle of a line.
    for end in ["", "\n", "\r\n"] {
        let header = HEADER.trim_end().to_owned() + "\ndata file: data/volume.raw" + end + end;
        std::fs::write(&path, header).unwrap();
        let whole = attached(&path).unwrap();
        assert_eq!(from_bytes(&whole, "x").unwrap(), volume, "{end:?}");
        std::fs::write(folder.join("whole.nrrd"), &whole).unwrap();
        assert_eq!(attached(&folder.join("whole.nrrd")).unwrap(), whole);
    }
    for (name, expected) in [
        ("data/missing.raw", "line 9: `data/missing.raw`: "),
        ("data", "line 9: `data`: not a regular file"),
        (
            "../volume.raw",
            "line 9: the name of a file beside this one expected, `../volume.raw`",
        ),
        ("/etc/hostname", "line 9: the name of a file beside"),
        (
            "LIST",
            "line 9: not supported: samples in more than one file",
        ),
        ("v%03d.raw 1 2 1", "line 9: not supported: samples in more"),
    ] {
        std::fs::write(&path, header(name)).unwrap();
        let error = load(&path).unwrap_err().to_string();
        let file = path.display().to_string();
        assert!(error.starts_with(&format!("{file}: {expected}")), "{error}");
    }
    std::fs::write(folder.join("data/volume.raw"), &counted()[1..]).unwrap();
    std::fs::write(&path, header("data/volume.raw")).unwrap();
    let error = load(&path).unwrap_err().to_string();
    assert!(
        error.ends_with("wants 12 bytes of samples; found 11"),
        "{error}"
    );
    assert!(
        load(&folder)
            .unwrap_err()
            .to_string()
            .ends_with("not a regular file")
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let error = says(&header("a.raw"), &counted());
    assert!(
        error.starts_with("line 9: the samples are in another file"),
        "{error}"
    );
}

#[test]
fn what_is_malformed_is_refused_by_its_line() {
    let directions = |text: &str| ("spacings: 1 2 3", format!("space directions: {text}"));
    for ((from, to), expected) in [
        (
            ("NRRD0005", "NRRD0006".into()),
            "line 1: `NRRD0001` to `NRRD0005` expected, `NRRD0006` found",
        ),
        (
            ("type: uchar", "type: fish".into()),
            "line 3: int8, uint8, int16",
        ),
        (
            ("type: uchar", "type: long long".into()),
            "line 3: not supported: samples that are 64-bit",
        ),
        (
            ("type: uchar", "typo: uchar".into()),
            "line 3: `typo` is not a NRRD header field",
        ),
        (("type: uchar\n", String::new()), "the header has no `type`"),
        (
            ("type: uchar", "type: short".into()),
            "the header has no `endian`",
        ),
        (
            ("dimension: 3", "dimension: 4".into()),
            "line 4: not supported: other than three axes",
        ),
        (
            ("dimension: 3", "dimension: x".into()),
            "line 4: a number of axes expected, `x`",
        ),
        (
            ("dimension: 3", "dimension".into()),
            "line 4: `field: text`",
        ),
        (
            ("sizes: 2 3 2", "sizes: 2 3".into()),
            "line 5: three numbers of samples expected, `2 3`",
        ),
        (
            ("sizes: 2 3 2", "sizes: 2 3 2 1".into()),
            "line 5: three numbers of samples",
        ),
        (
            ("sizes: 2 3 2", "sizes: 2 -3 2".into()),
            "line 5: three numbers of samples",
        ),
        (
            ("sizes: 2 3 2", "sizes: 12 1 1".into()),
            "line 5: [12, 1, 1] samples: there have to be",
        ),
        (
            ("sizes: 2 3 2", "sizes: 4096 4096 4096".into()),
            "line 5: [4096, 4096, 4096] samples",
        ),
        (
            ("sizes: 2 3 2", "sizes: 18446744073709551615 2 2".into()),
            "line 5: [18446744073709551615, 2, 2]",
        ),
        (
            ("spacings: 1 2 3", "spacings: 1 nan 3".into()),
            "line 6: samples every [1.0, NaN, 3.0]",
        ),
        (
            ("spacings: 1 2 3", "spacings: 1 0 3".into()),
            "line 6: samples every [1.0, 0.0, 3.0]",
        ),
        (
            ("spacings: 1 2 3\n", String::new()),
            "the header has no `space directions` or `spacings`",
        ),
        (
            ("encoding: raw", "encoding: bzip2".into()),
            "line 7: not supported: samples in hexadecimal",
        ),
        (
            ("encoding: raw", "encoding: rwa".into()),
            "line 7: raw, ascii or gzip expected",
        ),
        (
            ("key:=value", "sizes: 2 3 2\nk:=v".into()),
            "line 8: `sizes` occurs twice, first in line 5",
        ),
        (
            ("key:=value", "endian: middle\nk:=v".into()),
            "line 8: `little` or `big` expected, `middle`",
        ),
        (
            ("key:=value", "space: left-anterior-superior\nk:=v".into()),
            "line 8: not supported: a left-handed",
        ),
        (
            ("key:=value", "space: outer\nk:=v".into()),
            "line 8: the name of a space",
        ),
        (
            ("key:=value", "space dimension: 2\nk:=v".into()),
            "line 8: not supported: a space of other",
        ),
        (
            ("key:=value", "space origin: (1,2)\nk:=v".into()),
            "line 8: a vector `(x,y,z)` expected, `(1,2)`",
        ),
        (
            ("key:=value", "space origin: (1,2,inf)\nk:=v".into()),
            "line 8: the first sample is at [1.0, 2.0, inf]",
        ),
        (
            ("key:=value", "axis mins: 0 0 0\nk:=v".into()),
            "line 8: not supported: `axis mins`",
        ),
        (
            ("key:=value", "units: \"mm\" \"mm\"\nk:=v".into()),
            "line 8: three units in quotes",
        ),
        (
            ("key:=value", "units: \"mm\" \"mm\" \"m\"\nk:=v".into()),
            "line 8: not supported: axes in different units",
        ),
        (
            ("key:=value", "line skip: -2\nk:=v".into()),
            "line 8: a number of lines",
        ),
        (
            ("key:=value", "byte skip: -2\nk:=v".into()),
            "line 8: a number of bytes, or -1",
        ),
        (
            ("key:=value", "byte skip: 9223372036854775807\nk:=v".into()),
            "the header wants 9223372036854775819 bytes",
        ),
        (
            ("key:=value", "line skip: 18446744073709551615\nk:=v".into()),
            "the header wants 18446744073709551615",
        ),
        (
            (
                "key:=value",
                "space directions: (1,0,0) (0,1,0) (0,0,1)\nk:=v".into(),
            ),
            "line 6: not supported: `spacings` next to",
        ),
        (
            directions("(1,0,0) (0,1,0) none"),
            "line 6: not supported: an axis that is not spatial",
        ),
        (
            directions("(1,0,0) (0,1,0)"),
            "line 6: three vectors `(x,y,z)` expected",
        ),
        (
            directions("(1,0,0) (0,1,0) (0,0,1) 2"),
            "line 6: three vectors",
        ),
        (
            directions("(1,0,0) (0,1,0,0) (0,0,1)"),
            "line 6: three vectors",
        ),
        (
            directions("(1,0,0) (0.5,0.866025,0) (0,0,1)"),
            "line 6: not supported: axes 1 and 2 are 60.0000 degrees apart",
        ),
        (
            directions("(1,0,0) (0,1,0) (0,0,0)"),
            "line 6: samples every [1.0, 1.0, 0.0]",
        ),
        (
            directions("(1,0,0) (0,1,0) (0,0,1e300)"),
            "line 6: samples every [1.0, 1.0, inf]",
        ),
    ] {
        let header = HEADER.replacen(from, &to, 1);
        assert_ne!(header, HEADER);
        let error = says(&header, &counted());
        assert!(error.starts_with(expected), "{to:?}: {error}");
    }
    assert!(
        says(HEADER, &counted()[2..]).starts_with("the header wants 12 bytes of samples; found 10")
    );
    let more = [counted(), counted()].concat();
    assert!(says(HEADER, &more).starts_with("the header wants 12 bytes of samples; found 24"));
    assert!(matches!(
        from_bytes(b"", "x").unwrap_err().problem,
        NrrdProblem::Magic { .. }
    ));
    let ascii = HEADER.replace("raw", "ascii");
    assert_eq!(
        says(&ascii, b"1 2 3 400 5"),
        "sample 3: `400` is not of type uint8"
    );
    assert!(says(&ascii, b"1 2 3").starts_with("the header wants 12"));
    assert!(says(&ascii, &b"7 ".repeat(13)).starts_with("the header wants 12"));
    let gzip = HEADER.replace("raw", "gzip");
    assert!(says(&gzip, &counted()).starts_with("gzip: "));
}

#[test]
fn the_first_invalid_sample_is_named() {
    let header = HEADER.replace("uchar", "float\nendian: big");
    let mut values: Vec<f32> = (0..12).map(|i| i as f32).collect();
    values[9] = f32::NAN;
    values[10] = f32::INFINITY;
    let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_be_bytes()).collect();
    assert_eq!(says(&header, &bytes), "sample [1, 1, 1] is NaN");
    // Values beyond single precision are not finite either.
    let header = HEADER.replace("uchar", "double").replace("raw", "ascii");
    let text = "0 0 1e300 0 0 0 0 0 0 0 0 0";
    assert_eq!(says(&header, text.as_bytes()), "sample [0, 1, 0] is inf");
}

#[test]
fn what_is_packed_is_unpacked_as_far_as_the_header_asks_for() {
    // A hundred megabytes of zeros in a hundred kilobytes, where twelve bytes are wanted.
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    (0..100).for_each(|_| packer.write_all(&zeros).unwrap());
    let packed = packer.finish().unwrap();
    assert!(packed.len() < 200_000);
    let error = says(&HEADER.replace("raw", "gzip"), &packed);
    assert!(
        error.starts_with("the header wants 12 bytes of samples; found 13"),
        "{error}"
    );
}

/// A small valid file of some kind.
fn valid() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just([HEADER.as_bytes(), b"\n", &counted()].concat()),
        Just(
            [
                HEADER.replace("raw", "ascii").as_bytes(),
                b"\n0 1 2 3 4 5 6 7 8 9 10 11\n"
            ]
            .concat()
        ),
        Just({
            let mut bytes = Vec::new();
            write(&mut bytes, &skull(0.2, 16).unwrap()).unwrap();
            bytes
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_it_panic(mut bytes in proptest::collection::vec(any::<u8>(), 0..400), magic in any::<bool>()) {
        if magic {
            bytes.splice(0..0, *b"NRRD0004\n");
        }
        prop_assert!(from_bytes(&bytes, "x").is_err());
    }

    #[test]
    fn what_is_cut_short_or_changed_is_a_volume_or_refused(
        bytes in valid(),
        cut in 0.0..1.0,
        changes in proptest::collection::vec((0.0..1.0, any::<u8>()), 0..6),
    ) {
        let end = (cut * bytes.len() as f64) as usize;
        // A text may lose its last digit or line end and still be valid.
        prop_assert!(from_bytes(&bytes[..end], "x").is_err() || end + 2 >= bytes.len());
        let mut changed = bytes.clone();
        for (place, byte) in &changes {
            // Half of them in the header.
            let room = if byte % 2 == 0 { changed.len() } else { 200.min(changed.len()) };
            let at = (place * room as f64) as usize;
            changed[at] = *byte;
        }
        if let Ok(volume) = from_bytes(&changed, "x") {
            prop_assert!(volume.samples.iter().all(|x| x.is_finite()));
            let count: u64 = volume.nodes.iter().map(|n| u64::from(*n)).product();
            prop_assert_eq!(volume.samples.len() as u64, count);
            prop_assert!(changes.is_empty() || count > 0);
        }
    }
}
