//# use layout.wgsl
// The trees of the rigid objects.

@group(0) @binding(8) var<storage, read> nodes: array<Node>;
