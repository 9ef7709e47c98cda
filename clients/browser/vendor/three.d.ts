// three.js is what @types/three says it is.
export * from "three";
