// What one comparison carries along.
import type { Difference } from '../../play-result';
import type { MatchContext } from './match';
import type { Header } from '../recording';

export interface CompareContext extends MatchContext {
  header: Header;
  differences: Difference[];
  /** Whether the version at a path is a list's (or a bookmark's) own. */
  isListVersion?: (path: string) => boolean;
}

export function report(context: CompareContext, path: string, text: string): void {
  context.differences.push({ path, text });
}

/** A fresh list of differences over the same bindings. */
export const scratch = (context: CompareContext): CompareContext => ({ ...context, differences: [] });
