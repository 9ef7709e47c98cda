// The triangles of the clusters.

// Of each cluster the first of its triangles in `members` and how many there are.
@group(0) @binding(12) var<storage, read> clusters: array<vec2<u32>>;
@group(0) @binding(13) var<storage, read> members: array<u32>;
