/*
 * The C interface in C: water with a spring, a client's mirror, records, a recording, a save file;
 * materials, humidity and an explosion. Prints one hash, as the samples of all languages do.
 *
 *   cc -std=c11 -I ../include sample.c -L <target>/release -lfloodplain_c -o sample
 *
 * An argument is the path of a save file, which is written and removed.
 */
#include "floodplain.h"
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the words of a call that failed. */
static void check(FpStatus status, const char *call) {
    if (status != FP_STATUS_OK) {
        char words[512];
        size_t length = 0;
        if (fp_last_error(words, sizeof words, &length) != FP_STATUS_OK) length = 0;
        fprintf(stderr, "%s: status %d: %.*s\n", call, (int)status, (int)length, words);
        exit(1);
    }
}
#define OK(call) check((call), #call)

/* Ends the program if something is not as it should be. */
#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* Bytes that grow as they are asked for. */
typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
} Bytes;

static void make_room(Bytes *bytes, size_t capacity) {
    if (bytes->capacity < capacity) {
        bytes->bytes = realloc(bytes->bytes, capacity);
        EXPECT(bytes->bytes != NULL);
        bytes->capacity = capacity;
    }
}

/* Calls a function that fills a list: again with more room if it asks for that. */
#define FILL(bytes, call)                                                                          \
    do {                                                                                           \
        FpStatus status = (call);                                                                  \
        if (status == FP_STATUS_BUFFER) {                                                          \
            make_room(&(bytes), (bytes).length);                                                   \
            status = (call);                                                                       \
        }                                                                                          \
        check(status, #call);                                                                      \
    } while (0)

static FpOutcome edit(FpWorld *world, FpEdit edit) {
    FpOutcome outcome;
    OK(fp_world_apply(world, &edit, &outcome));
    return outcome;
}

static uint64_t hash_of(FpWorld *world) {
    uint64_t hash = 0;
    OK(fp_world_state_hash(world, &hash));
    OK(fp_world_validate(world));
    return hash;
}

/* Loads two chunks: ground with some water on it, and one that is filled by an edit. */
static FpWorld *new_water(void) {
    FpWaterRules rules;
    OK(fp_water_rules_default(FP_PRESET_LOSSLESS, &rules));
    FpWorld *world = NULL;
    OK(fp_water_new(7, &rules, NULL, &world));

    uint16_t words[FP_CHUNK_CELLS];
    for (int index = 0; index < FP_CHUNK_CELLS; index++) {
        int y = index / 256;
        words[index] = y == 0 ? FP_WORD_SOLID : y == 1 && index % 5 == 0 ? 3 : FP_WORD_OPEN;
    }
    const int32_t first[3] = {0, 0, 0}, second[3] = {1, 0, 0};
    OK(fp_water_insert_chunks(world, first, 1, words, FP_CHUNK_CELLS));
    const uint16_t open = FP_WORD_OPEN;
    OK(fp_water_insert_chunks(world, second, 1, &open, 1));
    edit(world, (FpEdit){.kind = FP_EDIT_KIND_FILL_SOLID, .cell = {16, 0, 0}, .to = {31, 0, 15}});
    return world;
}

/* Twenty ticks: whole, in slices of cells, within a time, and many at once. */
static void twenty_ticks(FpWorld *world) {
    for (int tick = 0; tick < 5; tick++) OK(fp_world_step(world, NULL));
    for (int tick = 0; tick < 5; tick++) {
        FpProgress progress;
        do {
            OK(fp_world_step_within(world, 200, &progress));
        } while (!progress.finished);
    }
    FpProgress progress;
    do {
        OK(fp_world_step_for(world, 4000000, &progress));
    } while (!progress.finished);
    OK(fp_world_run(world, 9, NULL));
}

/* What a renderer does: changes, the meshes that they touch, falls, a body, buoyancy. */
static void draw(FpWorld *world) {
    static FpChunkChanges changes[16];
    size_t count = 0, numbers = 0;
    OK(fp_world_take_changes(world, changes, 16, &count));
    EXPECT(count == 2);
    int32_t touched[3 * 64];
    OK(fp_meshes_touched(changes, count, touched, 3 * 64, &numbers));
    EXPECT(numbers > 0 && numbers % 3 == 0);

    OK(fp_view_follow_flow(world));
    FpMesh mesh = {0};
    FpStatus status = fp_view_mesh(world, 0, 0, 0, &mesh);
    EXPECT(status == FP_STATUS_BUFFER && mesh.vertex_count > 0);
    mesh.positions = malloc(mesh.vertex_count * 3 * sizeof(float));
    mesh.flow = malloc(mesh.vertex_count * 3 * sizeof(float));
    mesh.indices = malloc(mesh.index_count * sizeof(uint32_t));
    EXPECT(mesh.positions && mesh.flow && mesh.indices);
    mesh.vertex_capacity = mesh.vertex_count;
    mesh.index_capacity = mesh.index_count;
    OK(fp_view_mesh(world, 0, 0, 0, &mesh));
    EXPECT(mesh.indices[mesh.index_count - 1] < mesh.vertex_count);
    free(mesh.positions);
    free(mesh.flow);
    free(mesh.indices);

    FpFall falls[16];
    OK(fp_view_falls(world, 0, 0, 0, falls, 16, &count));
    EXPECT(count > 0 && falls[0].cells > 0);
    FpBody body;
    OK(fp_water_body(world, 8, 4, 8, 1000, &body));
    EXPECT(body.is_fed);
    int32_t current[3];
    OK(fp_view_current(world, 8, 3, 8, current));
    EXPECT(current[1] < 0);
    const float low[3] = {8, 3, 8}, high[3] = {9, 4, 9};
    FpSubmerged submerged;
    OK(fp_view_submerged(world, low, high, &submerged));
    EXPECT(submerged.volume > 0);
}

/* What a player sends, and what a server lets him do. */
static void client_edits(FpWorld *world, Bytes *bytes) {
    FpLimits limits;
    OK(fp_limits_default(&limits));
    FpEdit pour = {.kind = FP_EDIT_KIND_POUR, .cell = {3, 9, 3}, .units = 7};
    FILL(*bytes,
         fp_edit_bytes(FP_KIND_WATER, &pour, bytes->bytes, bytes->capacity, &bytes->length));
    FpOutcome outcome;
    OK(fp_world_apply_bytes(world, bytes->bytes, bytes->length, &limits, &outcome));
    EXPECT(outcome.kind == FP_OUTCOME_KIND_UNITS && outcome.units == 7);
    FpEdit spring = {.kind = FP_EDIT_KIND_ADD_SOURCE, .cell = {3, 9, 3}};
    FILL(*bytes,
         fp_edit_bytes(FP_KIND_WATER, &spring, bytes->bytes, bytes->capacity, &bytes->length));
    FpStatus status = fp_world_apply_bytes(world, bytes->bytes, bytes->length, &limits, &outcome);
    EXPECT(status == FP_STATUS_LIMIT);
}

/* A save file at a path: written, opened again, removed. */
static void save(FpWorld *world, const char *path) {
    remove(path);
    FpSave *save = NULL;
    OK(fp_save_create(path, world, &save));
    OK(fp_save_write(save, world, NULL));
    OK(fp_save_free(save));
    FpWorld *opened = NULL;
    OK(fp_save_open(path, FP_KIND_WATER, &save, &opened));
    EXPECT(hash_of(opened) == hash_of(world));
    OK(fp_world_free(opened));
    OK(fp_save_free(save));
    remove(path);
}

static uint64_t water(const char *path) {
    Bytes bytes = {0};
    FpWorld *world = new_water();
    FpFeed *feed = NULL;
    OK(fp_feed_new(world, &feed));
    FpWorld *mirror = NULL;
    OK(fp_mirror_new(FP_KIND_WATER, 100, &mirror));
    const int32_t chunks[6] = {0, 0, 0, 1, 0, 0};
    FILL(bytes,
         fp_feed_whole(feed, world, chunks, 2, bytes.bytes, bytes.capacity, &bytes.length));
    OK(fp_mirror_apply(mirror, bytes.bytes, bytes.length, NULL));

    edit(world, (FpEdit){.kind = FP_EDIT_KIND_ADD_SOURCE, .cell = {8, 4, 8}});
    FpOutcome poured = edit(
        world, (FpEdit){.kind = FP_EDIT_KIND_POUR, .cell = {20, 5, 8}, .units = 7});
    EXPECT(poured.units == 7);
    uint64_t ticket = 99;
    FpEdit solid = {.kind = FP_EDIT_KIND_SET_SOLID, .cell = {5, 1, 8}};
    OK(fp_world_queue(world, &solid, &ticket));
    twenty_ticks(world);
    FpEditReport reports[4];
    size_t count = 0;
    OK(fp_world_take_edit_reports(world, reports, 4, &count));
    EXPECT(count == 1 && reports[0].ticket == ticket && reports[0].status == FP_STATUS_OK);

    draw(world);
    FILL(bytes, fp_feed_take(feed, world, bytes.bytes, bytes.capacity, &bytes.length));
    OK(fp_mirror_apply(mirror, bytes.bytes, bytes.length, NULL));
    uint16_t here = 0, there = 1;
    OK(fp_view_look(world, 8, 2, 8, &here));
    OK(fp_view_look(mirror, 8, 2, 8, &there));
    EXPECT(here == there && (here & FP_LOOK_UNITS) > 0);
    OK(fp_feed_free(feed));
    OK(fp_world_free(mirror));

    client_edits(world, &bytes);
    size_t waiting = 0;
    OK(fp_world_remove_chunks(world, chunks + 3, 1, &waiting));
    FILL(bytes, fp_world_take_records(world, bytes.bytes, bytes.capacity, &bytes.length));
    EXPECT(bytes.length == waiting);
    OK(fp_world_run(world, 3, NULL));
    OK(fp_world_insert_records(world, bytes.bytes, bytes.length));
    OK(fp_world_run(world, 7, NULL));

    FILL(bytes, fp_world_snapshot(world, bytes.bytes, bytes.capacity, &bytes.length));
    FpWorld *loaded = NULL;
    OK(fp_world_load(FP_KIND_WATER, bytes.bytes, bytes.length, &loaded));
    uint64_t hash = hash_of(world);
    EXPECT(hash_of(loaded) == hash);
    OK(fp_world_free(loaded));
    if (path) save(world, path);
    FpWaterLedger ledger;
    OK(fp_water_ledger(world, &ledger));
    EXPECT(ledger.total > 0 && ledger.drained == 0);
    OK(fp_world_free(world));
    free(bytes.bytes);
    return hash;
}

/* Soil in which rain sinks and a charge digs, recorded and done again. */
static uint64_t materials(void) {
    FpMaterialsRules rules;
    OK(fp_materials_rules_default(&rules));
    FpWorld *world = NULL;
    OK(fp_materials_new(5, NULL, 0, &rules, NULL, &world));
    uint8_t cells[FP_CHUNK_CELLS];
    for (int index = 0; index < FP_CHUNK_CELLS; index++) cells[index] = index / 256 < 8 ? 2 : 0;
    FpContent content = {.materials = cells, .material_count = FP_CHUNK_CELLS};
    OK(fp_materials_insert_chunks(world, &content, 1));
    OK(fp_record_start(world, 10, 0, NULL));
    edit(world, (FpEdit){.kind = FP_EDIT_KIND_RAIN, .cell = {8, 15, 8}, .units = 40});
    FpEdit charge = {.kind = FP_EDIT_KIND_CHARGE, .cell = {4, 8, 4}, .value = 500, .value2 = 2};
    edit(world, charge);
    OK(fp_world_run(world, 40, NULL));

    Bytes bytes = {0};
    FILL(bytes, fp_record_bytes(world, bytes.bytes, bytes.capacity, &bytes.length));
    OK(fp_record_stop(world));
    FpWorld *again = NULL;
    OK(fp_record_replay(FP_KIND_MATERIALS, bytes.bytes, bytes.length, &again));
    free(bytes.bytes);
    FpBroken broken[64];
    size_t count = 0;
    OK(fp_world_take_events(world, broken, 64, &count));
    EXPECT(count > 0 && broken[0].from == 2);
    uint64_t hash = hash_of(world);
    EXPECT(hash_of(again) == hash);
    OK(fp_world_free(again));
    OK(fp_world_free(world));
    return hash;
}

/* Rain on loam, round a rock. */
static uint64_t humidity(void) {
    FpHumidityRules rules;
    OK(fp_humidity_rules_default(&rules));
    FpWorld *world = NULL;
    OK(fp_humidity_new(FP_SHAPE_SHEET, &rules, NULL, &world));
    FpHumidityCell loam = {.humidity = 0, .impermeability = 2};
    OK(fp_humidity_insert_chunk(world, 0, 0, 0, &loam, 1));
    edit(world, (FpEdit){.kind = FP_EDIT_KIND_SET_RAIN, .cell = {30, 63, 0}, .value = 1000});
    edit(world, (FpEdit){.kind = FP_EDIT_KIND_SET_ROCK, .cell = {30, 60, 0}});
    OK(fp_world_run(world, 50, NULL));
    FpHumidityCell under, beside;
    OK(fp_humidity_cell(world, 30, 59, 0, &under));
    OK(fp_humidity_cell(world, 27, 62, 0, &beside));
    EXPECT(under.humidity < beside.humidity);
    uint64_t hash = hash_of(world);
    OK(fp_world_free(world));
    return hash;
}

/* A wave that throws a figure and breaks a wall. */
static uint64_t blast(void) {
    FpBlastRules rules;
    OK(fp_blast_rules_default(&rules));
    rules.rule = FP_BLAST_RULE_WAVE;
    rules.coefficient = 0.125;
    rules.damping = 0.75;
    rules.threshold = 0.01;
    FpWorld *world = NULL;
    OK(fp_blast_new(FP_SHAPE_CUBE, &rules, NULL, NULL, &world));
    edit(world, (FpEdit){.kind = FP_EDIT_KIND_SET_WALL, .cell = {4, 0, 0}, .value = 2});
    edit(world, (FpEdit){.kind = FP_EDIT_KIND_SET_PRESSURE, .cell = {0, 0, 0}, .value = 3000});
    FpProbe figure = {.cell = {3, 2, 0}, .cross_section = 0.5};
    OK(fp_blast_run_probed(world, 20, &figure, 1, NULL));
    EXPECT(figure.impulse[0] != 0 && figure.exposure > 0);
    FpBroken broken[4];
    size_t count = 0;
    OK(fp_world_take_events(world, broken, 4, &count));
    EXPECT(count == 1 && broken[0].cell[0] == 4);
    uint64_t hash = hash_of(world);
    OK(fp_world_free(world));
    return hash;
}

int main(int argc, char **argv) {
    if (fp_interface_version() != FP_INTERFACE_VERSION) {
        fprintf(stderr, "the library is of another version than the header\n");
        return 1;
    }
    uint64_t hash = water(argc > 1 ? argv[1] : NULL) ^ materials() ^ humidity() ^ blast();
    printf("floodplain: state hash %016llx\n", (unsigned long long)hash);
    return 0;
}
