//# use skin.wgsl
// Prefix sums in three passes: of blocks, over the blocks, within the blocks. The order is fixed,
// so the result is the same every time.

// Items per thread.
const EACH: u32 = 16u;

struct SkinScan {
    items: u32,
    blocks: u32,
    // 0: places; 1: bricks.
    of_bricks: u32,
    pad: u32,
}

@group(0) @binding(8) var<uniform> scan: SkinScan;

var<workgroup> partial: array<vec2<u32>, GROUP>;

// Sum of `own` over the threads before this one. All threads of the workgroup must call it.
fn before(local: u32, own: vec2<u32>) -> vec2<u32> {
    workgroupBarrier();
    partial[local] = own;
    for (var by = 1u; by < GROUP; by *= 2u) {
        workgroupBarrier();
        var more = vec2(0u);
        if local >= by {
            more = partial[local - by];
        }
        workgroupBarrier();
        partial[local] += more;
    }
    workgroupBarrier();
    return partial[local] - own;
}
