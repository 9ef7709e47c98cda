//# use entries.wgsl
//# use places.wgsl
// Shared by the passes after the traces: all rays of a step, and whether the hit on one side of a
// ray is an answer.

@group(0) @binding(8) var<storage, read_write> places: array<Place>;

struct Job {
    ray: Ray,
    // Index of its hits.
    at: u32,
    // Other rays to the same target may give further answers for the same point: a hit that does
    // not count here may hide them.
    rejections: bool,
    // The whole target was searched in both directions, so it is known whether the point is inside.
    whole: bool,
    some: bool,
}

// Ray number `i` of all lists together.
fn job_of(i: u32) -> Job {
    var k = i;
    for (var list = 0u; list < TRACES; list++) {
        let there = entries(lists.list[list]);
        if k < there {
            let at = lists.list[list].first + k;
            let ray = rays[at];
            let part = list == BASIC && ray.start != NONE;
            return Job(ray, at, part, list != WALK && !part, true);
        }
        k -= there;
    }
    return Job(Ray(0u, 0u, 0u, 0u), 0u, false, false, false);
}

fn class_of(hit: Hit) -> u32 {
    return (hit.triangle >> CLASS) & 3u;
}

fn is_answer(job: Job, hit: Hit) -> bool {
    return hit.triangle != NONE && (job.rejections || class_of(hit) != NOTHING);
}

fn place_of(job: Job, half: u32) -> u32 {
    return objects[job.ray.source].first_record + 2u * job.ray.point + half;
}

// Triangles are packed by object: the order is by target, then by triangle.
fn rank(job: Job, hit: Hit) -> u32 {
    return objects[job.ray.target_].first_triangle + (hit.triangle & NUMBER);
}

fn is_nearest(place: u32, hit: Hit) -> bool {
    return atomicLoad(&places[place].nearest) == bitcast<u32>(abs(hit.t));
}
