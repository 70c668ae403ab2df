// The C interface in Java 22 or newer, by its foreign functions and memory. Prints one hash, as the
// samples of all languages do.
//
//   java --enable-native-access=ALL-UNNAMED Sample.java <target>/release/libfloodplain_c.so

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

public class Sample {
    static final int OK = 0, BUFFER = 6;
    static final int WATER = 1, MATERIALS = 8, SHEET = 0, CUBE = 1, LOSSLESS = 1, WAVE = 1;
    static final int SET_SOLID = 1, FILL_SOLID = 3, ADD_SOURCE = 4, POUR = 6;
    static final int RAIN = 34, CHARGE = 35, SET_RAIN = 50, SET_ROCK = 52, SET_PRESSURE = 64, SET_WALL = 67;
    static final short SOLID = 0x3f;
    static final int CHUNK_CELLS = 4096;

    /** The sizes of structs, as floodplain.h asserts them. */
    static final int WATER_RULES = 80, MATERIALS_RULES = 248, HUMIDITY_RULES = 52, BLAST_RULES = 32;
    static final int EDIT = 64, OUTCOME = 48, CONTENT = 64, PROBE = 56, PROGRESS = 40, MESH = 64;
    static final int LIMITS = 72;

    static final Linker LINKER = Linker.nativeLinker();
    static final Map<String, MethodHandle> FUNCTIONS = new HashMap<>();
    static SymbolLookup library;
    /** All memory of the sample; a game has one for each frame or chunk. */
    static Arena arena;

    /** Calls a function with int, long and MemorySegment arguments. Returns its status. */
    static int call(String name, Object... arguments) throws Throwable {
        MethodHandle function = FUNCTIONS.computeIfAbsent(name, missing -> {
            MemoryLayout[] layouts = new MemoryLayout[arguments.length];
            for (int at = 0; at < arguments.length; at++) {
                layouts[at] = switch (arguments[at]) {
                    case Integer number -> JAVA_INT;
                    case Long number -> JAVA_LONG;
                    default -> ADDRESS;
                };
            }
            MemorySegment symbol = library.find(missing).orElseThrow();
            return LINKER.downcallHandle(symbol, FunctionDescriptor.of(JAVA_INT, layouts));
        });
        return (int) function.invokeWithArguments(arguments);
    }

    /** Calls a function, and throws its words if it fails. */
    static void ok(String name, Object... arguments) throws Throwable {
        int status = call(name, arguments);
        if (status != OK) {
            MemorySegment words = arena.allocate(512), length = arena.allocate(JAVA_LONG);
            call("fp_last_error", words, 512L, length);
            byte[] bytes = words.asSlice(0, length.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
            String text = new String(bytes, StandardCharsets.UTF_8);
            throw new IllegalStateException(name + ": status " + status + ": " + text);
        }
    }

    static void expect(boolean condition, String what) {
        if (!condition) throw new IllegalStateException("not so: " + what);
    }

    /** Returns the bytes that a function writes: the last arguments are the list's. */
    static MemorySegment filled(String name, Object... arguments) throws Throwable {
        Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 3);
        MemorySegment length = arena.allocate(JAVA_LONG);
        all[arguments.length] = MemorySegment.NULL;
        all[arguments.length + 1] = 0L;
        all[arguments.length + 2] = length;
        expect(call(name, all) == BUFFER, "there are bytes");
        long bytes = length.get(JAVA_LONG, 0);
        MemorySegment out = arena.allocate(bytes, 8);
        all[arguments.length] = out;
        all[arguments.length + 1] = bytes;
        ok(name, all);
        return out;
    }

    /** A world, which is closed with its handle. */
    record World(MemorySegment handle) implements AutoCloseable {
        /** Makes one by a function whose last argument is the place of the handle. */
        static World made(String name, Object... arguments) throws Throwable {
            Object[] all = java.util.Arrays.copyOf(arguments, arguments.length + 1);
            MemorySegment place = arena.allocate(ADDRESS);
            all[arguments.length] = place;
            ok(name, all);
            return new World(place.get(ADDRESS, 0));
        }

        MemorySegment edit(int kind, int x, int y, int z, int units, double value, double value2)
                throws Throwable {
            MemorySegment outcome = arena.allocate(OUTCOME, 8);
            ok("fp_world_apply", handle, editOf(kind, x, y, z, units, value, value2), outcome);
            return outcome;
        }

        void run(long steps) throws Throwable {
            ok("fp_world_run", handle, steps, MemorySegment.NULL);
        }

        long hash() throws Throwable {
            MemorySegment hash = arena.allocate(JAVA_LONG);
            ok("fp_world_state_hash", handle, hash);
            ok("fp_world_validate", handle);
            return hash.get(JAVA_LONG, 0);
        }

        @Override
        public void close() {
            try {
                ok("fp_world_free", handle);
            } catch (Throwable failed) {
                throw new IllegalStateException(failed);
            }
        }
    }

    /** Returns an FpEdit; the offsets are those of the header's fields. */
    static MemorySegment editOf(int kind, int x, int y, int z, int units, double value,
            double value2) {
        MemorySegment edit = arena.allocate(EDIT, 8);
        edit.set(JAVA_INT, 0, kind);
        edit.set(JAVA_INT, 4, x);
        edit.set(JAVA_INT, 8, y);
        edit.set(JAVA_INT, 12, z);
        edit.set(JAVA_INT, 28, units);
        edit.set(JAVA_DOUBLE, 48, value);
        edit.set(JAVA_DOUBLE, 56, value2);
        return edit;
    }

    static World newWater() throws Throwable {
        MemorySegment rules = arena.allocate(WATER_RULES, 8);
        ok("fp_water_rules_default", LOSSLESS, rules);
        World world = World.made("fp_water_new", 7L, rules, MemorySegment.NULL);
        MemorySegment words = arena.allocate(JAVA_SHORT, CHUNK_CELLS);
        for (int index = 0; index < 512; index++) {
            short word = index < 256 ? SOLID : (short) (index % 5 == 0 ? 3 : 0);
            words.setAtIndex(JAVA_SHORT, index, word);
        }
        MemorySegment first = arena.allocateFrom(JAVA_INT, 0, 0, 0);
        ok("fp_water_insert_chunks", world.handle, first, 1L, words, (long) CHUNK_CELLS);
        MemorySegment second = arena.allocateFrom(JAVA_INT, 1, 0, 0);
        MemorySegment open = arena.allocate(JAVA_SHORT);
        ok("fp_water_insert_chunks", world.handle, second, 1L, open, 1L);
        MemorySegment fill = editOf(FILL_SOLID, 16, 0, 0, 0, 0, 0);
        fill.set(JAVA_INT, 16, 31);
        fill.set(JAVA_INT, 24, 15);
        ok("fp_world_apply", world.handle, fill, MemorySegment.NULL);
        return world;
    }

    static void twentyTicks(World world) throws Throwable {
        for (int tick = 0; tick < 5; tick++) ok("fp_world_step", world.handle, MemorySegment.NULL);
        MemorySegment progress = arena.allocate(PROGRESS, 8);
        for (int tick = 0; tick < 5; tick++) {
            do {
                ok("fp_world_step_within", world.handle, 200L, progress);
            } while (progress.get(JAVA_LONG, 32) == 0);
        }
        do {
            ok("fp_world_step_for", world.handle, 4_000_000L, progress);
        } while (progress.get(JAVA_LONG, 32) == 0);
        world.run(9);
    }

    /** Draws the water of a chunk into lists that are big enough for it. */
    static void draw(World world) throws Throwable {
        MemorySegment mesh = arena.allocate(MESH, 8);
        int status = call("fp_view_mesh", world.handle, 0, 0, 0, mesh);
        long vertices = mesh.get(JAVA_LONG, 32), indices = mesh.get(JAVA_LONG, 56);
        expect(status == BUFFER && vertices > 0, "there is water to draw");
        mesh.set(ADDRESS, 0, arena.allocate(vertices * 12, 8));
        mesh.set(JAVA_LONG, 24, vertices);
        mesh.set(ADDRESS, 40, arena.allocate(indices * 4, 8));
        mesh.set(JAVA_LONG, 48, indices);
        ok("fp_view_mesh", world.handle, 0, 0, 0, mesh);
    }

    static long water() throws Throwable {
        try (World world = newWater()) {
            world.edit(ADD_SOURCE, 8, 4, 8, 0, 0, 0);
            MemorySegment poured = world.edit(POUR, 20, 5, 8, 7, 0, 0);
            expect(poured.get(JAVA_LONG, 8) == 7, "a full cell was poured");
            MemorySegment solid = editOf(SET_SOLID, 5, 1, 8, 0, 0, 0);
            ok("fp_world_queue", world.handle, solid, MemorySegment.NULL);
            twentyTicks(world);
            draw(world);

            MemorySegment limits = arena.allocate(LIMITS, 8);
            ok("fp_limits_default", limits);
            MemorySegment sent = filled("fp_edit_bytes", WATER, editOf(POUR, 3, 9, 3, 7, 0, 0));
            ok("fp_world_apply_bytes", world.handle, sent, sent.byteSize(), limits,
                    MemorySegment.NULL);
            MemorySegment second = arena.allocateFrom(JAVA_INT, 1, 0, 0);
            ok("fp_world_remove_chunks", world.handle, second, 1L, MemorySegment.NULL);
            MemorySegment records = filled("fp_world_take_records", world.handle);
            world.run(3);
            ok("fp_world_insert_records", world.handle, records, records.byteSize());
            world.run(7);
            MemorySegment saved = filled("fp_world_snapshot", world.handle);
            try (World loaded = World.made("fp_world_load", WATER, saved, saved.byteSize())) {
                expect(loaded.hash() == world.hash(), "it is loaded");
            }
            return world.hash();
        }
    }

    static long materials() throws Throwable {
        MemorySegment rules = arena.allocate(MATERIALS_RULES, 8);
        ok("fp_materials_rules_default", rules);
        MemorySegment none = MemorySegment.NULL;
        try (World world = World.made("fp_materials_new", 5L, none, 0L, rules, none)) {
            MemorySegment cells = arena.allocate(CHUNK_CELLS);
            for (int index = 0; index < 8 * 256; index++) cells.set(JAVA_BYTE, index, (byte) 2);
            MemorySegment content = arena.allocate(CONTENT, 8);
            content.set(ADDRESS, 16, cells);
            content.set(JAVA_LONG, 24, CHUNK_CELLS);
            ok("fp_materials_insert_chunks", world.handle, content, 1L);
            ok("fp_record_start", world.handle, 10L, 0L, none);
            world.edit(RAIN, 8, 15, 8, 40, 0, 0);
            world.edit(CHARGE, 4, 8, 4, 0, 500, 2);
            world.run(40);
            MemorySegment recording = filled("fp_record_bytes", world.handle);
            long bytes = recording.byteSize();
            try (World again = World.made("fp_record_replay", MATERIALS, recording, bytes)) {
                expect(again.hash() == world.hash(), "a replay is the same");
            }
            return world.hash();
        }
    }

    static long humidity() throws Throwable {
        MemorySegment rules = arena.allocate(HUMIDITY_RULES, 8);
        ok("fp_humidity_rules_default", rules);
        try (World world = World.made("fp_humidity_new", SHEET, rules, MemorySegment.NULL)) {
            MemorySegment loam = arena.allocate(16, 8);
            loam.set(java.lang.foreign.ValueLayout.JAVA_FLOAT, 8, 2);
            ok("fp_humidity_insert_chunk", world.handle, 0, 0, 0, loam, 1L);
            world.edit(SET_RAIN, 30, 63, 0, 0, 1000, 0);
            world.edit(SET_ROCK, 30, 60, 0, 0, 0, 0);
            world.run(50);
            return world.hash();
        }
    }

    static long blast() throws Throwable {
        MemorySegment rules = arena.allocate(BLAST_RULES, 8);
        ok("fp_blast_rules_default", rules);
        rules.set(JAVA_INT, 4, WAVE);
        rules.set(JAVA_DOUBLE, 8, 0.125);
        rules.set(JAVA_DOUBLE, 16, 0.75);
        rules.set(JAVA_DOUBLE, 24, 0.01);
        MemorySegment none = MemorySegment.NULL;
        try (World world = World.made("fp_blast_new", CUBE, rules, none, none)) {
            world.edit(SET_WALL, 4, 0, 0, 0, 2, 0);
            world.edit(SET_PRESSURE, 0, 0, 0, 0, 3000, 0);
            MemorySegment figure = arena.allocate(PROBE, 8);
            figure.set(JAVA_INT, 0, 3);
            figure.set(JAVA_INT, 4, 2);
            figure.set(JAVA_DOUBLE, 16, 0.5);
            ok("fp_blast_run_probed", world.handle, 20L, figure, 1L, none);
            expect(figure.get(JAVA_DOUBLE, 24) != 0, "the figure is thrown");
            return world.hash();
        }
    }

    public static void main(String[] arguments) throws Throwable {
        try (Arena confined = Arena.ofConfined()) {
            arena = confined;
            library = SymbolLookup.libraryLookup(Path.of(arguments[0]).toAbsolutePath(), arena);
            expect(call("fp_interface_version") == 1, "the versions are the same");
            long hash = water() ^ materials() ^ humidity() ^ blast();
            System.out.printf("floodplain: state hash %016x%n", hash);
        }
    }
}
