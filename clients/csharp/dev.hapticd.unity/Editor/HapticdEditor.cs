using Hapticd.Unity;
using UnityEditor;

namespace Hapticd.Editor
{
    /// <summary>Closes connections in good order before programs are loaded again, and when play
    /// mode ends: no body stays in the scene without its application.</summary>
    [InitializeOnLoad]
    internal static class HapticdEditor
    {
        static HapticdEditor()
        {
            AssemblyReloadEvents.beforeAssemblyReload += HapticConnection.CloseAll;
            EditorApplication.quitting += HapticConnection.CloseAll;
            EditorApplication.playModeStateChanged += change =>
            {
                if (change == PlayModeStateChange.ExitingPlayMode) HapticConnection.CloseAll();
            };
        }
    }
}
