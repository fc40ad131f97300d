export function internalShapes(
  modules: string,
  version: string,
  groups: Readonly<Record<string, readonly string[]>>,
): Promise<Record<string, string>>;
