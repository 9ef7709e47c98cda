using Hapticd.Unity;
using UnityEngine;

/// <summary>
/// Put it on an empty object and press play: a ball follows the tool of the first arm, and a cube
/// of 3 cm swings to and fro where the hand of `config/demo.toml` can feel it.
/// </summary>
public sealed class Touch : MonoBehaviour
{
    private Transform cube;
    private HapticArm arm;

    private void Awake()
    {
        gameObject.AddComponent<HapticConnection>();

        // Components look for what they belong to among their parents.
        var hand = new GameObject("arm");
        hand.transform.SetParent(transform);
        arm = hand.AddComponent<HapticArm>();
        arm.Touched += body => Debug.Log("touched " + body);

        var ball = GameObject.CreatePrimitive(PrimitiveType.Sphere);
        ball.transform.SetParent(hand.transform);
        // The tool's own shape comes from the daemon.
        ball.GetComponent<MeshFilter>().sharedMesh = null;
        ball.AddComponent<HapticTool>();

        cube = GameObject.CreatePrimitive(PrimitiveType.Cube).transform;
        cube.SetParent(transform);
        cube.localScale = 0.03f * Vector3.one;
        cube.localPosition = new Vector3(0, 0.02f, 0);
        cube.gameObject.AddComponent<HapticBody>();
    }

    private void Update()
    {
        cube.localPosition = new Vector3(0.05f * Mathf.Sin(Time.time), 0.02f, 0);
    }
}
