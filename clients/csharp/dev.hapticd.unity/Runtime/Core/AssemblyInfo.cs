using System.Runtime.CompilerServices;

// The tests read single packets.
[assembly: InternalsVisibleTo("Hapticd.Tests")]
