export function withPart(text: string, name: string, part: string): string;
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string;
export function writeOrCheck(path: string, text: string, options: { check?: boolean; command: string; what: string }): void;
