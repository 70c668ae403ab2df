-- The chat command /floodplain: the ledger, the times, the budget; and what an owner may do.
local own = ...
local settings, water, chunks, show, steps =
    own.settings, own.water, own.chunks, own.show, own.steps

local function ledger()
    local sums = water.ledger()
    return ("water: %d units here, %d in mapblocks that are not loaded\n"):format(sums.total,
            sums.away)
        .. ("came: %d placed, %d of springs, %d of the sea\n"):format(sums.placed, sums.injected,
            sums.from_sea)
        .. ("went: %d removed, %d drained, %d evaporated, %d into the sea\n"):format(sums.removed,
            sums.drained, sums.evaporated, sums.into_sea)
        .. ("lost: %d"):format(sums.lost)
end

local function times()
    local out, count = steps.percentiles(0.5, 0.99, 1)
    local activity = water.activity()
    return ("ticks: %d, every %g s; late %d times\n"):format(steps.ticks, settings.tick, steps.late)
        .. ("of the last %d steps: half below %.2f ms, "):format(count, out[1])
        .. ("99 of 100 below %.2f ms, all below %.2f ms\n"):format(out[2], out[3])
        .. ("budget of a step: %g ms\n"):format(settings.step_ms)
        .. ("chunks: %d, to come %d, to show %d; cells awake: %d; %.1f MB"):format(chunks.count,
            chunks.waiting(), show.waiting(), tonumber(activity.awake_cells),
            tonumber(activity.memory_bytes) / 1e6)
end

-- Sets the milliseconds of a step.
local function budget(words)
    local ms = tonumber(words)
    if not ms or ms < 1 or ms > 80 then return false, "a budget is 1 to 80 ms" end
    settings.step_ms = ms
    return true, ("the water may take %g ms of a step"):format(ms)
end

minetest.register_chatcommand("floodplain", {
    params = "[ledger | times | budget <ms> | save]",
    description = "Finite water: its ledger, its times, its budget",
    func = function(name, words)
        local what, rest = words:match("^(%S*)%s*(.*)$")
        if what == "" then return true, ledger() .. "\n" .. times() end
        if what == "ledger" then return true, ledger() end
        if what == "times" then return true, times() end
        if not minetest.check_player_privs(name, { server = true }) then
            return false, "this needs the privilege server"
        end
        if what == "budget" then return budget(rest) end
        if what == "save" then
            water.save_now()
            return true, "the water is saved"
        end
        return false, "unknown: " .. what
    end,
})
