export function eventCatalogue(): { text: string; names: string[] };
