//# use layout.wgsl
// Trees of the rigid objects.

@group(0) @binding(8) var<storage, read> nodes: array<Node>;
