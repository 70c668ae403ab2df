-- The settings, as settingtypes.txt has them.
local function number(name, default)
    return tonumber(minetest.settings:get("floodplain_" .. name)) or default
end

local function text(name, default)
    local value = minetest.settings:get("floodplain_" .. name)
    return value ~= "" and value or default
end

return {
    library = text("library"),
    tick = number("tick", 0.1),
    step_ms = number("step_ms", 6),
    range = number("range", 2),
    save_seconds = number("save_seconds", 5),
    old_water = text("old_water", "still"),
    placed_water = text("placed_water", "pour"),
    sea_level = number("sea_level"),
    sea_edge = minetest.settings:get_bool("floodplain_sea_edge", false),
    evaporation = text("evaporation", "none"),
    water_source = text("water_source"),
}
