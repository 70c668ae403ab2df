//! The names of the laws that [`Watched`](super::Watched) checks.

/// Defines a constant for each law, and the list of all of them.
macro_rules! laws {
    ($($(#[doc = $says:literal])+ $law:ident = $name:literal;)+) => {
        $($(#[doc = $says])+ pub const $law: &str = $name;)+

        /// The laws that [`Watched`](super::Watched) checks: the name of each, and its statement. A
        /// law keeps its name; new ones may come in any release.
        ///
        $(#[doc = concat!("- `", $name, "`:", $($says),+)])+
        ///
        /// ```
        /// use floodplain::testing::LAWS;
        ///
        /// let (_, says) = LAWS.iter().find(|(name, _)| *name == "refused").unwrap();
        /// assert_eq!(*says, "An edit that is refused changes nothing.");
        /// ```
        pub const LAWS: &[(&str, &str)] = &[$(($law, concat!($($says),+).trim_ascii_start())),+];
    };
}

laws! {
    /// Worlds that are made in the same way are the same.
    MADE_ALIKE = "made_alike";
    /// `validate` of the world finds nothing.
    VALID = "valid";
    /// A world that sleeps equals one that is woken before each tick, and reports the same.
    NEVER_SLEPT = "never_slept";
    /// Ticks in slices, or several ticks by one call, have the same result as single ticks.
    IN_SLICES = "in_slices";
    /// Between two slices of a tick, the world is as it was before the tick.
    UNDERWAY = "underway";
    /// A world that was saved and loaded continues like one that was not.
    SAVED_AND_LOADED = "saved_and_loaded";
    /// An edit has the same outcome in equal worlds, whatever the order of its list of chunks.
    EDIT_ALIKE = "edit_alike";
    /// An edit is the same after it has been sent as bytes.
    EDIT_AS_BYTES = "edit_as_bytes";
    /// An edit that is refused changes nothing.
    REFUSED = "refused";
    /// Every cell that differs is listed once among the changes, and as visible if it looks
    /// different.
    CHANGES_LISTED = "changes_listed";
    /// Each event of a tick is reported once, in order, and is the same in equal worlds and in the
    /// naive model: the walls that break, and at which pressure difference.
    EVENTS = "events";
    /// The report of a tick counts the cells that changed, and no more units than moved.
    CHANGES_COUNTED = "changes_counted";
    /// A world at rest does nothing.
    REST = "rest";
    /// Each edit does what its documentation says: its outcome is that of the naive model.
    EDIT = "edit";
    /// The cells equal the cells of the naive model.
    CELLS = "cells";
    /// A step has the result of the formulas taken literally: explosions except for rounding,
    /// humidity and 2D water to the bit.
    FORMULAS = "formulas";
    /// The links between cells or nodes equal the links of the naive model.
    LINKS = "links";
    /// A probe adds up the flows around it, step by step.
    PROBES = "probes";
    /// A client that is sent all updates of a feed equals its world.
    MIRRORED = "mirrored";
    /// The ledger is that of the naive model after edits, and equals the sum over all cells.
    LEDGER = "ledger";
    /// The fixtures equal the fixtures of the naive model.
    FIXTURES = "fixtures";
    /// The frozen chunks equal those of the naive model, and no tick changes a cell in them.
    FROZEN = "frozen";
    /// A body of water equals the result of a naive flood fill.
    BODY = "body";
    /// A tick neither makes nor removes ground or springs, and makes sea only over holes in the
    /// sea.
    GROUND = "ground";
    /// In a tick, no cell passes on more units in total than the throughput.
    THROUGHPUT = "throughput";
    /// A tick posts to the ledger the possible exchange of springs, rain, drains, the sea, the cap
    /// and evaporation, and nothing else.
    ACCOUNT = "account";
    /// Water evaporates from still surfaces alone: no more units in a tick than there are cells
    /// without water above them that fell by one unit and passed nothing on.
    EVAPORATION = "evaporation";
    /// Every cell with FlowOut is joined to an end by cells with FlowOut.
    FLOW_OUT = "flow_out";
    /// The cells that a tick visits are bounded by the cells of the world and the rows of its
    /// chunks.
    COST = "cost";
    /// Where water settles, a step that changes anything lowers the sum of the heads of all units.
    ENERGY = "energy";
    /// Where water has settled, it lies on something, its surfaces are level, and its pressure is
    /// that of its depth.
    LEVEL = "level";
    /// A world that only springs feed, and that nothing leaves, comes to rest.
    COMES_TO_REST = "comes_to_rest";
    /// In a world without edits, springs deliver to the ends at least nine tenths of the max flow
    /// through its cells. If the springs are at several heights, this holds for the max flow of the
    /// springs at any one height, as if there were no others.
    OUTFLOW = "outflow";
    /// Water into which connected water heads for 32 ticks, down or sideways, is connected, too.
    REACH = "reach";
    /// A world left to itself keeps `outflow` even if it was initially dry or full.
    HISTORY = "history";
    /// Springs fill a world that nothing leaves: at least nine tenths of the room in the cells
    /// below springs to which their water can come.
    FILLED = "filled";
    /// A world without inflow and outflow is level within 600 ticks.
    LEVEL_IN_TIME = "level_in_time";
    /// No edit and no tick panics.
    NO_PANIC = "no_panic";
}
