// What the package's Editor folder uses of UnityEditor, by hand after its documentation: signatures
// to compile against. Nothing of it runs.
using System;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class InitializeOnLoadAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CustomEditor : Attribute
    {
        public CustomEditor(Type inspectedType)
        {
        }
    }

    public static class AssemblyReloadEvents
    {
        public delegate void AssemblyReloadCallback();

        public static event AssemblyReloadCallback beforeAssemblyReload
        {
            add { }
            remove { }
        }
    }

    public enum PlayModeStateChange
    {
        EnteredEditMode,
        ExitingEditMode,
        EnteredPlayMode,
        ExitingPlayMode,
    }

    public static class EditorApplication
    {
        public static bool isPlaying
        {
            get { return false; }
        }

        public static event Action quitting
        {
            add { }
            remove { }
        }

        public static event Action<PlayModeStateChange> playModeStateChanged
        {
            add { }
            remove { }
        }
    }

    public enum MessageType
    {
        None,
        Info,
        Warning,
        Error,
    }

    public static class EditorGUILayout
    {
        public static void HelpBox(string message, MessageType type)
        {
        }
    }

    public class Editor
    {
        public UnityEngine.Object target
        {
            get { return null; }
        }

        public bool DrawDefaultInspector()
        {
            return false;
        }

        public virtual void OnInspectorGUI()
        {
        }

        public virtual bool RequiresConstantRepaint()
        {
            return false;
        }
    }
}
