using System.Runtime.CompilerServices;

// The tests read single packets.
[assembly: InternalsVisibleTo("Hapticd.Tests")]

// It makes events of the C library's.
[assembly: InternalsVisibleTo("Hapticd.Native")]
