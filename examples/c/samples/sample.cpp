// The C interface in C++, by floodplain.hpp. Prints one hash, as the samples of all languages do.
//
//   c++ -std=c++17 -I ../include sample.cpp -L <target>/release -lfloodplain_c -o sample
#include "floodplain.hpp"

#include <cstdio>
#include <cstdlib>

namespace fp = floodplain;

/// Ends the program if something is not as it should be.
static void expect(bool condition, const char *what) {
    if (condition) return;
    std::fprintf(stderr, "not so: %s\n", what);
    std::exit(1);
}

static fp::World new_water() {
    FpWaterRules rules;
    fp::check(fp_water_rules_default(FP_PRESET_LOSSLESS, &rules));
    fp::World world = fp::World::water(7, rules);
    std::vector<std::uint16_t> words(FP_CHUNK_CELLS);
    for (int index = 0; index < FP_CHUNK_CELLS; index++) {
        int y = index / 256;
        words[index] = y == 0 ? FP_WORD_SOLID : y == 1 && index % 5 == 0 ? 3 : FP_WORD_OPEN;
    }
    world.insert_chunk({0, 0, 0}, words);
    world.insert_chunk({1, 0, 0}, {FP_WORD_OPEN});
    world.apply(fp::edit(FP_EDIT_KIND_FILL_SOLID, {16, 0, 0}, {31, 0, 15}));
    return world;
}

static std::uint64_t water() {
    fp::World world = new_water();
    fp::Feed feed(world);
    fp::World mirror = fp::World::mirror(FP_KIND_WATER, 100);
    mirror.apply_update(feed.whole(world, {{0, 0, 0}, {1, 0, 0}}));
    world.apply(fp::edit(FP_EDIT_KIND_ADD_SOURCE, {8, 4, 8}));
    FpOutcome poured = world.apply(fp::edit(FP_EDIT_KIND_POUR, {20, 5, 8}, 7));
    expect(poured.units == 7, "a full cell was poured");
    std::uint64_t ticket = world.queue(fp::edit(FP_EDIT_KIND_SET_SOLID, {5, 1, 8}));
    for (int tick = 0; tick < 5; tick++) world.step();
    for (int tick = 0; tick < 5; tick++)
        while (!world.step_within(200)) {}
    while (!world.step_for(4'000'000)) {}
    world.run(9);
    std::vector<FpEditReport> reports = world.take_edit_reports();
    expect(reports.size() == 1 && reports[0].ticket == ticket, "the queued edit was made");
    expect(world.take_changes().size() == 2, "two chunks look different");

    mirror.apply_update(feed.take(world));
    fp::World::Mesh here, there;
    world.mesh({0, 0, 0}, here);
    mirror.mesh({0, 0, 0}, there);
    expect(!here.indices.empty() && here.positions == there.positions, "a mirror has the mesh");

    FpLimits limits;
    fp::check(fp_limits_default(&limits));
    world.apply(fp::edit_bytes(FP_KIND_WATER, fp::edit(FP_EDIT_KIND_POUR, {3, 9, 3}, 7)), &limits);
    try {
        FpEdit spring = fp::edit(FP_EDIT_KIND_ADD_SOURCE, {3, 9, 3});
        world.apply(fp::edit_bytes(FP_KIND_WATER, spring), &limits);
        expect(false, "a client may not add springs");
    } catch (const fp::Error &error) {
        expect(error.status() == FP_STATUS_LIMIT, error.what());
    }
    fp::Bytes records = world.remove_chunks({{1, 0, 0}});
    world.run(3);
    world.insert_records(records);
    world.run(7);
    std::uint64_t hash = world.state_hash();
    expect(fp::World::load(FP_KIND_WATER, world.snapshot()).state_hash() == hash, "it is loaded");
    return hash;
}

static std::uint64_t materials() {
    FpMaterialsRules rules;
    fp::check(fp_materials_rules_default(&rules));
    fp::World world = fp::World::materials(5, rules);
    std::vector<std::uint8_t> cells(FP_CHUNK_CELLS);
    for (int index = 0; index < FP_CHUNK_CELLS; index++) cells[index] = index / 256 < 8 ? 2 : 0;
    FpContent content{};
    content.materials = cells.data();
    content.material_count = cells.size();
    fp::check(fp_materials_insert_chunks(world.get(), &content, 1));
    world.record(10, 0);
    world.apply(fp::edit(FP_EDIT_KIND_RAIN, {8, 15, 8}, 40));
    FpEdit charge = fp::edit(FP_EDIT_KIND_CHARGE, {4, 8, 4});
    charge.value = 500;
    charge.value2 = 2;
    world.apply(charge);
    world.run(40);
    std::uint64_t hash = world.state_hash();
    fp::World again = fp::World::replay(FP_KIND_MATERIALS, world.recording());
    expect(again.state_hash() == hash, "a replay is the same");
    expect(!world.take_events().empty(), "soil broke");
    return hash;
}

static std::uint64_t humidity() {
    FpHumidityRules rules;
    fp::check(fp_humidity_rules_default(&rules));
    fp::World world = fp::World::humidity(FP_SHAPE_SHEET, rules);
    FpHumidityCell loam{0, 2, 0};
    fp::check(fp_humidity_insert_chunk(world.get(), 0, 0, 0, &loam, 1));
    FpEdit rain = fp::edit(FP_EDIT_KIND_SET_RAIN, {30, 63, 0});
    rain.value = 1000;
    world.apply(rain);
    world.apply(fp::edit(FP_EDIT_KIND_SET_ROCK, {30, 60, 0}));
    world.run(50);
    return world.state_hash();
}

static std::uint64_t blast() {
    FpBlastRules rules;
    fp::check(fp_blast_rules_default(&rules));
    rules.rule = FP_BLAST_RULE_WAVE;
    rules.coefficient = 0.125;
    rules.damping = 0.75;
    rules.threshold = 0.01;
    fp::World world = fp::World::blast(FP_SHAPE_CUBE, rules);
    FpEdit wall = fp::edit(FP_EDIT_KIND_SET_WALL, {4, 0, 0});
    wall.value = 2;
    world.apply(wall);
    FpEdit bang = fp::edit(FP_EDIT_KIND_SET_PRESSURE, {0, 0, 0});
    bang.value = 3000;
    world.apply(bang);
    FpProbe figure{};
    figure.cell[0] = 3;
    figure.cell[1] = 2;
    figure.cross_section = 0.5;
    fp::check(fp_blast_run_probed(world.get(), 20, &figure, 1, nullptr));
    expect(figure.impulse[0] != 0, "the figure is thrown");
    return world.state_hash();
}

int main() {
    try {
        expect(fp_interface_version() == FP_INTERFACE_VERSION, "the versions are the same");
        unsigned long long hash = water() ^ materials() ^ humidity() ^ blast();
        std::printf("floodplain: state hash %016llx\n", hash);
        return 0;
    } catch (const fp::Error &error) {
        std::fprintf(stderr, "status %d: %s\n", static_cast<int>(error.status()), error.what());
        return 1;
    }
}
