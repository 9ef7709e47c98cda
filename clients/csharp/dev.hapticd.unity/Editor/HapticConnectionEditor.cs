using Hapticd.Unity;
using UnityEditor;

namespace Hapticd.Editor
{
    /// <summary>Shows under a connection's settings how it is.</summary>
    [CustomEditor(typeof(HapticConnection))]
    internal sealed class HapticConnectionEditor : UnityEditor.Editor
    {
        public override void OnInspectorGUI()
        {
            DrawDefaultInspector();
            if (!EditorApplication.isPlaying) return;
            var connection = (HapticConnection)target;
            if (connection.Client == null)
            {
                EditorGUILayout.HelpBox(connection.Problem, MessageType.Warning);
                return;
            }
            var welcome = connection.Client.Welcome;
            EditorGUILayout.HelpBox(
                "protocol " + welcome.Major + "." + welcome.Minor + ", client " + welcome.Client
                + ", lease " + welcome.LeaseMs + " ms, " + connection.Client.Skipped
                + " values left out",
                MessageType.Info);
        }

        public override bool RequiresConstantRepaint()
        {
            return EditorApplication.isPlaying;
        }
    }
}
