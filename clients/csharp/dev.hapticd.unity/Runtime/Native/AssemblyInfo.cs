[assembly: System.Runtime.CompilerServices.InternalsVisibleTo("Hapticd.Native.Tests")]
