//# use skin.wgsl
//# use skin_scan.wgsl
// One workgroup scans the sums of the blocks, records the total, and sets the workgroup counts of
// the next passes: 0 if the capacity is too small.

@group(0) @binding(2) var<storage, read_write> sums: array<vec2<u32>>;
// Workgroup counts of the passes before the bricks' sums are known, and after.
@group(0) @binding(3) var<storage, read_write> args: array<vec4<u32>, 2>;

// Maximum number of workgroups in one dimension, on every adapter.
const SIDE: u32 = 65535u;

@compute @workgroup_size(64)
fn skin_tops(@builtin(local_invocation_index) local: u32) {
    var all = vec2(0u);
    for (var start = 0u; start < scan.blocks; start += GROUP) {
        let block = start + local;
        var own = vec2(0u);
        if block < scan.blocks {
            own = sums[block];
        }
        let first = all + before(local, own);
        if block < scan.blocks {
            sums[block] = first;
        }
        all += partial[GROUP - 1u];
    }
    if local > 0u {
        return;
    }
    var fits = true;
    if scan.of_bricks == 0u {
        tally.bricks = all.y;
        fits = all.x <= tally.most_pairs && all.y <= tally.most_bricks;
    } else {
        tally.vertices = all.x;
        tally.triangles = all.y;
        fits = all.x <= tally.most_vertices && all.y <= tally.most_triangles
            && tally.bricks <= tally.most_bricks;
    }
    let groups = select(0u, tally.bricks, fits);
    let rows = max((groups + SIDE - 1u) / SIDE, 1u);
    args[scan.of_bricks] = vec4((groups + rows - 1u) / rows, rows, 1u, 0u);
}
