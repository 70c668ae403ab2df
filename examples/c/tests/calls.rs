//! Random calls of the interface, drawn of bytes: with null handles, handles of other types, null
//! lists, lists of impossible lengths, numbers that name nothing. No call panics; what is refused
//! changes nothing; every world stays lawful. Run by a property test and by the fuzz target
//! `c_interface`.
//!
//! A pointer that is not null is always valid for the count it comes with: else the fault would be
//! the caller's.

#[path = "source.rs"]
mod source;

use floodplain_c::*;
use source::Source;
use std::ptr;

/// The handles of a run, and memory for lists.
#[derive(Default)]
struct Run {
    worlds: Vec<*mut FpWorld>,
    feeds: Vec<*mut FpFeed>,
    /// The bytes that a call wrote last.
    bytes: Vec<u8>,
    /// Whether edits may wait or a world may be recorded: then a refused call may have made those,
    /// or completed a tick.
    has_queued: bool,
    /// Whether a tick may be underway, which a refused edit may complete.
    is_underway: bool,
}

/// The kinds of worlds, and what is none.
const KINDS: [u32; 9] = [1, 2, 3, 4, 5, 8, 101, 108, 9];

impl Run {
    fn world(&self, from: &mut Source<'_>) -> *mut FpWorld {
        let number = usize::from(from.byte());
        match number % 12 {
            11 => ptr::null_mut(),
            10 => self.feeds.first().map_or(ptr::null_mut(), |feed| feed.cast()),
            _ => self.worlds.get(number % self.worlds.len().max(1)).map_or(ptr::null_mut(), |w| *w),
        }
    }

    fn feed(&self, from: &mut Source<'_>) -> *mut FpFeed {
        match from.byte() % 8 {
            7 => ptr::null_mut(),
            6 => self.worlds.first().map_or(ptr::null_mut(), |world| world.cast()),
            number => {
                let number = usize::from(number) % self.feeds.len().max(1);
                self.feeds.get(number).map_or(ptr::null_mut(), |feed| *feed)
            }
        }
    }

    /// Returns the hash of each world, none of mirrors.
    fn hashes(&self) -> Vec<u64> {
        let hash = |&world: &*mut FpWorld| {
            let mut hash = 0;
            // SAFETY: the handles of a run live.
            unsafe { fp_world_state_hash(world, &mut hash) };
            hash
        };
        self.worlds.iter().map(hash).collect()
    }

    /// Keeps a handle that was given out.
    fn keep(&mut self, status: FpStatus, world: *mut FpWorld) -> FpStatus {
        assert_eq!(status == FpStatus::Ok, !world.is_null());
        if !world.is_null() {
            self.worlds.push(world);
        }
        status
    }

    /// Keeps the bytes that were written.
    fn keep_bytes(&mut self, status: FpStatus, mut out: Vec<u8>, length: usize) -> FpStatus {
        if status == FpStatus::Ok {
            out.truncate(length);
            self.bytes = out;
        }
        status
    }

    fn make(&mut self, from: &mut Source<'_>) -> FpStatus {
        if self.worlds.len() > 5 {
            return FpStatus::Ok;
        }
        let (mut world, mut made) = (ptr::null_mut(), from.tag(9));
        let region = FpRegion { min: [0; 3], max: [40, from.coordinate(), 20] };
        let bounds = if from.byte().is_multiple_of(4) { &raw const region } else { ptr::null() };
        if made == 8 {
            made = from.pick(&[0, 1]);
        }
        // SAFETY: plain numbers, and lists that live.
        let status = unsafe {
            match made {
                0 | 6 | 7 => {
                    let mut rules: FpWaterRules = core::mem::zeroed();
                    fp_water_rules_default(from.tag(5), &mut rules);
                    rules.outer[0].kind = from.tag(5);
                    fp_water_new(7, from.some(&rules), bounds, &mut world)
                }
                1 => {
                    let mut rules: FpMaterialsRules = core::mem::zeroed();
                    fp_materials_rules_default(from.place(&mut rules));
                    let air: FpMaterial = core::mem::zeroed();
                    let materials =
                        [FpMaterial { name: from.pick(&[ptr::null(), c"air".as_ptr()]), ..air }];
                    let (materials, count) = match from.byte() % 4 {
                        0 => from.list(&materials),
                        _ => (ptr::null(), 0),
                    };
                    fp_materials_new(7, materials, count, from.some(&rules), bounds, &mut world)
                }
                2 => {
                    let mut rules: FpHumidityRules = core::mem::zeroed();
                    fp_humidity_rules_default(from.place(&mut rules));
                    fp_humidity_new(from.tag(3), from.some(&rules), bounds, &mut world)
                }
                3 => {
                    let mut rules: FpBlastRules = core::mem::zeroed();
                    fp_blast_rules_default(from.place(&mut rules));
                    rules.rule = from.tag(3);
                    rules.coefficient = from.pick(&[0.1, 0.125, 0.24, 7.0]);
                    let borders = [from.tag(4), 0, 1];
                    let borders = from.some(&borders).cast();
                    fp_blast_new(from.tag(3), from.some(&rules), bounds, borders, &mut world)
                }
                4 => {
                    let (bytes, count) = from.list(&self.bytes);
                    fp_world_load(from.pick(&KINDS), bytes, count, &mut world)
                }
                5 => {
                    let (bytes, count) = from.list(&self.bytes);
                    fp_record_replay(from.pick(&KINDS), bytes, count, &mut world)
                }
                _ => fp_mirror_new(from.pick(&KINDS), 3, &mut world),
            }
        };
        self.keep(status, world)
    }

    fn insert(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, [x, y, z]) = (self.world(from), from.chunk());
        let word = from.pick(&[FP_WORD_OPEN, FP_WORD_SOLID, FP_WORD_SEA, 5, 0xffff]);
        let words = vec![word; from.pick(&[4096, 1, 2])];
        // SAFETY: lists that live, and handles of this run.
        unsafe {
            match from.byte() % 4 {
                0 => {
                    let (words, count) = from.list(&words);
                    let chunks = [x, y, z];
                    let chunks = from.some(&chunks).cast();
                    fp_water_insert_chunks(world, chunks, 1, words, count)
                }
                1 => {
                    let materials = vec![from.byte() % 9; words.len()];
                    let mut content: FpContent = core::mem::zeroed();
                    content.chunk = [x, y, z];
                    (content.materials, content.material_count) = from.list(&materials);
                    if from.byte().is_multiple_of(4) {
                        (content.water, content.water_count) = from.list(&words);
                    }
                    fp_materials_insert_chunks(world, from.some(&content), 1)
                }
                2 => {
                    let cell = FpHumidityCell {
                        humidity: from.value(),
                        impermeability: from.pick(&[2.0, 0.5, FP_ROCK, -1.0]),
                        rain: from.tag(2),
                    };
                    let cells = vec![cell; words.len()];
                    let (cells, count) = from.list(&cells);
                    fp_humidity_insert_chunk(world, x, y, z, cells, count)
                }
                _ => {
                    let pressures = vec![from.value() as f32; words.len()];
                    let (pressures, count) = from.list(&pressures);
                    fp_blast_insert_chunk(world, x, y, z, pressures, count)
                }
            }
        }
    }

    fn edit(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, edit) = (self.world(from), from.edit());
        // SAFETY: plain numbers.
        let mut limits: FpLimits = unsafe { core::mem::zeroed() };
        // SAFETY: plain numbers.
        let mut outcome: FpOutcome = unsafe { core::mem::zeroed() };
        let mut ticket = 0;
        // SAFETY: lists that live, and handles of this run.
        unsafe {
            fp_limits_default(&mut limits);
            limits.kinds = 127;
            limits.struct_size += u32::from(from.rarely());
            match from.byte() % 8 {
                0..3 => fp_world_apply(world, from.some(&edit), from.place(&mut outcome)),
                3 => {
                    self.has_queued = true;
                    fp_world_queue(world, from.some(&edit), from.place(&mut ticket))
                }
                4 => {
                    let (mut out, mut length) = (vec![0; 64], 0);
                    let (first, capacity) = from.room(&mut out[..]);
                    let capacity = capacity_of(capacity, 64);
                    let status =
                        fp_edit_bytes(from.pick(&KINDS), &edit, first, capacity, &mut length);
                    self.keep_bytes(status, out, length)
                }
                5 => {
                    let (bytes, count) = from.list(&self.bytes);
                    fp_world_apply_bytes(world, bytes, count, &limits, from.place(&mut outcome))
                }
                6 => {
                    self.has_queued = true;
                    let (bytes, count) = from.list(&self.bytes);
                    fp_world_queue_bytes(world, bytes, count, &limits, from.place(&mut ticket))
                }
                _ => {
                    self.bytes = (0..from.byte() % 24).map(|_| from.byte()).collect();
                    FpStatus::Ok
                }
            }
        }
    }

    fn step(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, number) = (self.world(from), from.byte());
        let (mut report, mut progress) = (FpStepReport::default(), FpProgress::default());
        // SAFETY: places that live, and handles of this run.
        unsafe {
            match number % 6 {
                0 => fp_world_step(world, from.place(&mut report)),
                1 | 2 => {
                    self.is_underway = true;
                    let budget = u64::from(from.byte()) * 20;
                    fp_world_step_within(world, budget, from.place(&mut progress))
                }
                3 => {
                    self.is_underway = true;
                    fp_world_step_for(world, 50_000, from.place(&mut progress))
                }
                4 => fp_world_run(world, u64::from(number % 4), from.place(&mut report)),
                _ => {
                    let finish = |&world| fp_world_finish_tick(world, ptr::null_mut());
                    for world in &self.worlds {
                        finish(world);
                    }
                    self.is_underway = false;
                    // Of all worlds, so that a refusal of this one would say nothing.
                    fp_world_finish_tick(world, from.place(&mut report));
                    FpStatus::Ok
                }
            }
        }
    }

    fn stream(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, chunks) = (self.world(from), [from.chunk(), from.chunk()]);
        let (mut out, mut length) = (vec![0u8; 200_000], 0);
        let (list, count) = from.list(&chunks[..1]);
        let list = list.cast::<i32>();
        let (first, capacity) = from.room(&mut out[..]);
        let capacity = capacity_of(capacity, 200_000);
        let (bytes, byte_count) = from.list(&self.bytes);
        // SAFETY: lists that live, and handles of this run.
        let status = unsafe {
            match from.byte() % 12 {
                0 => return fp_world_remove_chunks(world, list, count, from.place(&mut length)),
                1 => fp_world_take_records(world, first, capacity, &mut length),
                2 => return fp_world_insert_records(world, bytes, byte_count),
                3 => fp_world_snapshot(world, first, capacity, &mut length),
                4 => {
                    let (checks, frames) = (from.pick(&[0, 1, 5]), from.pick(&[0, 2]));
                    self.has_queued = true;
                    return fp_record_start(world, checks, frames, ptr::null());
                }
                5 => fp_record_bytes(world, first, capacity, &mut length),
                6 => fp_record_tick_bytes(world, from.byte().into(), first, capacity, &mut length),
                7 => {
                    let mut made = 0;
                    return fp_record_apply_bytes(world, bytes, byte_count, from.place(&mut made));
                }
                8 => return fp_record_undo(world),
                9 => return fp_record_rewind(world, from.pick(&[0, 1, 2, 99])),
                10 => return fp_record_stop(world),
                _ => {
                    let frozen = from.tag(3);
                    let mut changed = 0;
                    let changed = from.place(&mut changed);
                    return fp_water_freeze(world, list, count, frozen, changed);
                }
            }
        };
        self.keep_bytes(status, out, length)
    }

    fn follow(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, feed, chunks) = (self.world(from), self.feed(from), [from.chunk(), [0; 3]]);
        let (mut out, mut length) = (vec![0u8; 200_000], 0);
        let (list, count) = from.list(&chunks[..]);
        let list = list.cast::<i32>();
        let (first, capacity) = from.room(&mut out[..]);
        let capacity = capacity_of(capacity, 200_000);
        let (bytes, byte_count) = from.list(&self.bytes);
        // SAFETY: lists that live, and handles of this run.
        let status = unsafe {
            match from.byte() % 8 {
                0 if self.feeds.len() < 3 => {
                    let mut made = ptr::null_mut();
                    let status = fp_feed_new(world, &mut made);
                    if status == FpStatus::Ok {
                        self.feeds.push(made);
                    }
                    return status;
                }
                0 | 1 => fp_feed_take(feed, world, first, capacity, &mut length),
                2 => fp_feed_whole(feed, world, list, count, first, capacity, &mut length),
                3 => {
                    let kind = from.pick(&KINDS);
                    fp_update_only(
                        kind,
                        bytes,
                        byte_count,
                        list,
                        count,
                        first,
                        capacity,
                        &mut length,
                    )
                }
                4 => return fp_feed_send_currents(feed),
                5 => return fp_mirror_retain(world, list, count),
                _ => {
                    let mut number = 0;
                    return fp_mirror_apply(world, bytes, byte_count, from.place(&mut number));
                }
            }
        };
        self.keep_bytes(status, out, length)
    }

    /// Calls what only reads.
    fn read(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, [x, y, z]) = (self.world(from), from.cell());
        let point = [x as f32, from.value() as f32, z as f32];
        // SAFETY: places that live, and handles of this run; all are plain numbers.
        unsafe {
            macro_rules! zeroed {
                ($type:ty) => {
                    &mut core::mem::zeroed::<$type>()
                };
            }
            match from.byte() % 20 {
                0 => fp_world_kind(world, from.place(zeroed!(u32))),
                1 => fp_world_activity(world, from.place(zeroed!(FpActivity))),
                2 => fp_world_ticks(world, from.place(zeroed!(u64))),
                3 => fp_water_cell(world, x, y, z, from.place(zeroed!(u16))),
                4 => fp_water_body(world, x, y, z, 500, from.place(zeroed!(FpBody))),
                5 => fp_water_ledger(world, from.place(zeroed!(FpWaterLedger))),
                6 => fp_materials_ledger(world, from.place(zeroed!(FpMaterialsLedger))),
                7 => fp_materials_cell(world, x, y, z, from.place(zeroed!(FpMaterialsCell))),
                8 => fp_field_total(world, from.place(zeroed!(f64))),
                9 => fp_humidity_cell(world, x, y, z, from.place(zeroed!(FpHumidityCell))),
                10 => fp_blast_cell(world, x, y, z, from.place(zeroed!(FpBlastCell))),
                11 => fp_view_look(world, x, y, z, from.place(zeroed!(u16))),
                12 => fp_view_current(world, x, y, z, from.place(zeroed!([i32; 3])).cast()),
                13 => fp_view_level(world, point.as_ptr(), from.place(zeroed!(f32))),
                14 => {
                    let high = point.map(|axis| axis + 2.5);
                    let high = from.some(&high).cast();
                    fp_view_submerged(world, point.as_ptr(), high, zeroed!(FpSubmerged))
                }
                15 => fp_view_flow(world, point.as_ptr(), from.place(zeroed!([f32; 3])).cast()),
                16 => fp_view_follow_flow(world),
                17 => fp_water_rules(world, from.place(zeroed!(FpWaterRules))),
                18 => {
                    let rules = zeroed!(FpWaterRules);
                    fp_water_rules_default(from.tag(5), rules);
                    fp_water_set_rules(world, from.some(rules))
                }
                _ => {
                    let probe = FpProbe {
                        cell: [x, y, z],
                        cross_section: from.value(),
                        ..FpProbe::default()
                    };
                    let mut probes = [probe; 2];
                    let steps = u64::from(from.byte() % 4);
                    let (first, count) = from.room(&mut probes);
                    let count = if count == 5 { count } else { capacity_of(count, 2) };
                    fp_blast_run_probed(world, steps, first, count, ptr::null_mut())
                }
            }
        }
    }

    /// Calls what writes a list.
    fn lists(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, [x, y, z]) = (self.world(from), from.chunk());
        let mut length = 0;
        let length = from.place(&mut length);
        macro_rules! list {
            ($type:ty, $room:expr, |$first:ident, $capacity:ident| $call:expr) => {{
                // SAFETY: plain numbers.
                let mut out: Vec<$type> = vec![unsafe { core::mem::zeroed() }; $room];
                let ($first, capacity) = from.room(&mut out[..]);
                let $capacity = capacity_of(capacity, $room);
                // SAFETY: the list lives, and so do the handles of this run.
                unsafe { $call }
            }};
        }
        match from.byte() % 12 {
            0 => list!(u16, 4096, |out, n| fp_water_chunk(world, x, y, z, out, n, length)),
            1 => list!(u8, 4096, |out, n| fp_materials_chunk(world, x, y, z, out, n, length)),
            2 => list!(u32, 4096, |out, n| fp_materials_moisture(world, x, y, z, out, n, length)),
            3 => list!(FpHumidityCell, 4096, |out, n| fp_humidity_chunk(
                world, x, y, z, out, n, length
            )),
            4 => list!(f32, 4096, |out, n| fp_blast_chunk(world, x, y, z, out, n, length)),
            5 => list!(i32, 64, |out, n| fp_world_chunks(world, out, n, length)),
            6 => list!(u16, 4096, |out, n| fp_view_looks(world, x, y, z, out, n, length)),
            7 => list!(FpFall, 99, |out, n| fp_view_falls(world, x, y, z, out, n, length)),
            8 => list!(FpBroken, 9, |out, n| fp_world_take_events(world, out, n, length)),
            9 => {
                list!(FpEditReport, 9, |out, n| fp_world_take_edit_reports(world, out, n, length))
            }
            10 => list!(i32, 64, |out, n| fp_view_flow_chunks(world, out, n, length)),
            _ => {
                let mut changes: Vec<FpChunkChanges> = Vec::new();
                // SAFETY: plain numbers.
                changes.resize(40, unsafe { core::mem::zeroed() });
                let (first, capacity) = from.room(&mut changes[..]);
                let capacity = capacity_of(capacity, 40);
                // SAFETY: the lists live, and so do the handles of this run.
                unsafe {
                    let status = fp_world_take_changes(world, first, capacity, length);
                    let (list, count) = from.list(&changes[..1]);
                    let mut touched = vec![0; 100];
                    fp_meshes_touched(list, count, touched.as_mut_ptr(), 100, length);
                    status
                }
            }
        }
    }

    fn mesh(&mut self, from: &mut Source<'_>) -> FpStatus {
        let (world, [x, y, z]) = (self.world(from), from.chunk());
        let (mut vertices, mut normals) = (vec![0f32; 30_000], vec![0f32; 30_000]);
        let mut indices = vec![0u32; 20_000];
        let (positions, capacity) = from.room(&mut vertices[..]);
        let vertex_capacity = capacity_of(capacity, 30_000) / 3;
        let mut mesh = FpMesh {
            positions,
            normals: from.place(&mut normals[0]),
            flow: ptr::null_mut(),
            vertex_capacity,
            vertex_count: 0,
            indices: from.place(&mut indices[0]),
            index_capacity: 20_000,
            index_count: 0,
        };
        if !mesh.normals.is_null() {
            mesh.normals = normals.as_mut_ptr();
        }
        if !mesh.indices.is_null() {
            mesh.indices = indices.as_mut_ptr();
        }
        // SAFETY: the lists live, and so do the handles of this run.
        unsafe { fp_view_mesh(world, x, y, z, from.place(&mut mesh)) }
    }

    /// Makes a call. Returns its status, and whether a refusal must have changed nothing.
    fn call(&mut self, from: &mut Source<'_>) -> (FpStatus, bool) {
        let is_still = !self.has_queued && !self.is_underway;
        match from.byte() % 16 {
            0 => (self.make(from), true),
            1 | 2 => (self.insert(from), is_still),
            3..8 => (self.edit(from), is_still),
            8 | 9 => (self.step(from), true),
            10 => (self.stream(from), is_still),
            11 => (self.follow(from), true),
            12 => (self.read(from), is_still),
            13 => (self.lists(from), true),
            14 => (self.mesh(from), true),
            _ => (self.free(from), true),
        }
    }

    /// Calls what takes a file of chunks that come and go with handles that are none.
    fn no_stream(&self, from: &mut Source<'_>) -> FpStatus {
        let world = self.world(from);
        let stream = if from.rarely() { ptr::null_mut() } else { world.cast::<FpStream>() };
        let (chunk, mut found, mut length) = (from.chunk(), 0, 0);
        // SAFETY: null, or a handle of another type.
        unsafe {
            let statuses = [
                fp_stream_unload(stream, world, chunk.as_ptr(), 1),
                fp_stream_load(stream, world, chunk.as_ptr(), 1, &mut found),
                fp_stream_unloaded(stream, ptr::null_mut(), 0, &mut length),
                fp_stream_save(stream, world, ptr::null_mut()),
                fp_stream_wait(stream, ptr::null_mut()),
            ];
            assert!(!statuses.contains(&FpStatus::Ok));
            if stream.is_null() { statuses[0] } else { fp_stream_free(stream) }
        }
    }

    /// Frees a feed or the last world.
    fn free(&mut self, from: &mut Source<'_>) -> FpStatus {
        // SAFETY: a freed handle is forgotten; null and another type are refused or nothing.
        unsafe {
            match from.byte() % 5 {
                0 => fp_world_free(ptr::null_mut()),
                1 => {
                    let save = self.worlds.first().map_or(ptr::null_mut(), |world| world.cast());
                    assert_ne!(fp_save_write(save, ptr::null(), ptr::null_mut()), FpStatus::Ok);
                    fp_save_free(save)
                }
                3 => self.no_stream(from),
                2 => self.feeds.pop().map_or(FpStatus::Ok, |feed| fp_feed_free(feed)),
                _ if self.worlds.len() > 3 => fp_world_free(self.worlds.remove(1)),
                _ => FpStatus::Ok,
            }
        }
    }
}

/// Returns a capacity: what is drawn, unless it is above what there is and could be in memory.
fn capacity_of(drawn: usize, there: usize) -> usize {
    if drawn == usize::MAX { drawn } else { drawn.min(there) }
}

impl Drop for Run {
    fn drop(&mut self) {
        for &feed in &self.feeds {
            // SAFETY: not used again.
            assert_eq!(unsafe { fp_feed_free(feed) }, FpStatus::Ok);
        }
        for &world in &self.worlds {
            // SAFETY: not used again.
            assert_eq!(unsafe { fp_world_free(world) }, FpStatus::Ok);
        }
    }
}

/// Returns the words of the last refusal.
fn words() -> String {
    let (mut out, mut length) = (vec![0u8; 300], 0);
    // SAFETY: the list lives.
    unsafe { fp_last_error(out.as_mut_ptr().cast(), 300, &mut length) };
    out.truncate(length);
    String::from_utf8_lossy(&out).into_owned()
}

/// Makes the calls of bytes, at most a hundred.
pub fn run(bytes: &[u8]) {
    let (mut run, mut from) = (Run::default(), Source(bytes));
    for kind in [0, 1, 2, 3] {
        run.make(&mut Source(&[0, kind, 1, 1, 1, 1, 0, 1, 1, 1, 1]));
    }
    for _ in 0..100 {
        if from.0.is_empty() {
            break;
        }
        let before = run.hashes();
        let (status, is_strict) = run.call(&mut from);
        assert_ne!(status, FpStatus::Panic, "{}", words());
        assert_ne!(status, FpStatus::Poisoned);
        if status == FpStatus::Ok {
            continue;
        }
        assert!(!words().is_empty());
        if is_strict {
            assert_eq!(run.hashes(), before, "{status:?}: {}", words());
        }
    }
    for &world in &run.worlds {
        // SAFETY: the handles of a run live.
        let status = unsafe { fp_world_validate(world) };
        assert!([FpStatus::Ok, FpStatus::Kind].contains(&status), "{}", words());
    }
}
