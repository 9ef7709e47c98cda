//# use layout.wgsl
// Triangles of all objects.

@group(0) @binding(5) var<storage, read> triangles: array<Triangle>;
