//! Errors say what is wrong and where, in a line each.

use floodplain::ColumnPos;
use floodplain::import::{ColumnFault, HeightmapError, RegionError, SectionFault, VoxError};
use std::error::Error;

#[test]
fn messages_name_place_and_value() {
    let column = |fault| RegionError::Column { at: [3, 31], offset: 8192, fault };
    let section = |fault| column(ColumnFault::Section { y: -4, fault });
    let at = "column 3, 31, at byte 8192: ";
    for (error, message) in [
        (RegionError::Header { bytes: 7 }, "the file ends at byte 7, within its header of 8192"),
        (RegionError::TooManyChunks, "the file has more than 65536 chunks"),
        (RegionError::OverBudget { units: 9 }, "the file asks for more than its 9 units of work"),
        (column(ColumnFault::Overlap { with: [4, 5] }), "it overlaps column 4, 5"),
        (
            column(ColumnFault::Place { file: 9000 }),
            "it does not lie between the header and the file's end at byte 9000",
        ),
        (
            column(ColumnFault::Length { length: 5000, sectors: 1 }),
            "it has 5000 bytes in 1 sectors of 4096",
        ),
        (
            column(ColumnFault::Compression { found: 4 }),
            "compression 4; only 1 (gzip), 2 (zlib) and 3 (none) are read",
        ),
        (column(ColumnFault::External), "it lies in a file of its own"),
        (column(ColumnFault::Inflate), "its compressed bytes are damaged"),
        (column(ColumnFault::TooLong { limit: 16 }), "it has more than 16 bytes when decompressed"),
        (
            column(ColumnFault::TooLongToWrite { bytes: 17 }),
            "it would need 17 bytes, more than 255 sectors of 4096 hold",
        ),
        (
            column(ColumnFault::Malformed { at: 12, wanted: "a text" }),
            "decompressed byte 12: expected a text",
        ),
        (column(ColumnFault::Missing { name: "xPos" }), "it has no xPos"),
        (
            column(ColumnFault::Position { named: ColumnPos::new(4, -5) }),
            "it says that it lies at 4, -5",
        ),
        (section(SectionFault::Place), "section -4: its place is taken, or not from -128 to 127"),
        (section(SectionFault::NoStates), "section -4: its palette is empty"),
        (
            section(SectionFault::Length { name: "Data", found: 1, wanted: 2048 }),
            "section -4: Data has the length 1, not 2048",
        ),
        (
            section(SectionFault::Index { cell: 9, found: 8, states: 5 }),
            "section -4: cell 9 has state 8 of 5",
        ),
        (
            section(SectionFault::State { index: 2, wanted: "a text" }),
            "section -4: state 2 of its palette: expected a text",
        ),
        (
            section(SectionFault::Malformed { at: 3, wanted: "a list" }),
            "section -4: decompressed byte 3: expected a list",
        ),
    ] {
        let is_of_column = error.source().is_some();
        let at = if is_of_column { at } else { "" };
        assert_eq!(error.to_string(), format!("{at}{message}"));
    }
    for (error, message) in [
        (VoxError::Malformed { at: 7, wanted: "a rotation" }, "byte 7: expected a rotation"),
        (VoxError::NoNode { node: 8 }, "the scene has no node 8"),
        (VoxError::NoModel { model: 8 }, "there is no model 8"),
        (VoxError::Rotation { node: 2, rotation: 127 }, "node 2 of the scene has no rotation 127"),
        (VoxError::TooManyNodes { limit: 9 }, "the scene has more than 9 nodes, or is a circle"),
        (VoxError::Position { model: 3 }, "model 3 lies beyond the range of i32"),
        (VoxError::TooLarge, "the models need more than 65536 chunks"),
        (VoxError::OverBudget { units: 9 }, "the scene asks for more than its 9 units of work"),
        (VoxError::NoModels, "the file has no models"),
        (
            VoxError::Compressed { at: 20 },
            "byte 20: models that Teardown compressed (TDCZ) are not read",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
    for (error, message) in [
        (HeightmapError::Png { at: 7, reason: "no".into() }, "byte 7: no"),
        (
            HeightmapError::Colour { x: 7, z: 9 },
            "the picture is in colour at 7, 9; heights are grey",
        ),
        (HeightmapError::Size { width: 0, depth: 3, values: 2 }, "2 values of 0 × 3 columns"),
        (HeightmapError::Scale, "a height for each 0 of the value"),
        (HeightmapError::Position, "a column leaves the range of i32"),
        (HeightmapError::TooLarge, "the columns need more than 65536 chunks"),
        (
            HeightmapError::OverBudget { units: 9 },
            "the picture asks for more than its 9 units of work",
        ),
    ] {
        assert_eq!(error.to_string(), message);
    }
}
