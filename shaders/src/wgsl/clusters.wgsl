// Triangles of the clusters.

// First triangle of each cluster in `members`, and their number.
@group(0) @binding(12) var<storage, read> clusters: array<vec2<u32>>;
@group(0) @binding(13) var<storage, read> members: array<u32>;
