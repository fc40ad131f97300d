export function tourExcerpt(lines: readonly string[]): string;
