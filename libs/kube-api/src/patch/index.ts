export * from './apply-patch';
export * from './read-patch';
export { applyJsonPatch, JsonPatchError, jsonPatchCopiedMax, jsonPatchOperationsMax } from './json-patch';
export * from './merge-patch';
export { applyStrategicMerge, StrategicMergeError } from './strategic-merge';
export * from './go-print';
export { readApplyConfig, type ApplyBody } from './apply-body';
