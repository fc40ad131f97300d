import type { SealCount, SealReport } from '#libs/audit';

/** What the seals say of the log, what is behind the last of them, and what is proven by none. A line each. */
export function sealText({ inLog, kept, beside }: SealReport, events: number): string[] {
  const lines: string[] = [];
  if (inLog.seals > 0) lines.push(agreeing(inLog, 'in the log', events));
  else
    lines.push(
      'no seals in the log yet: a whole stream that was removed, or a changed order, is found only where later events depend on it',
    );
  if (beside.seals > 0) lines.push(agreeing(beside, 'of the last stop, in the data folder,', events));
  if (kept.seals > 0) lines.push(agreeing(kept, 'kept elsewhere', events));
  const open = events - Math.max(inLog.events, beside.events, kept.events);
  if (open > 0) lines.push(`not sealed: the last ${open === 1 ? 'event' : `${open} events`}`);
  if (kept.agreed === 0)
    lines.push(`not proven: that nobody has written the log anew${beside.agreed > 0 ? '' : ', or cut off its end'}; ${remedy}`);
  return lines;
}

const remedy = 'that takes a seal kept elsewhere (kubereel seal)';

function agreeing({ seals, agreed, events }: SealCount, where: string, all: number): string {
  const which = agreed === seals ? `${seals} ${seals === 1 ? 'seal' : 'seals'}` : `${agreed} of ${seals} seals`;
  return `${which} ${where} ${agreed === 1 ? 'agrees' : 'agree'}: ${events} of ${all} events`;
}
