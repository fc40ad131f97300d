import type { ClusterRuntime, Origin } from '#libs/control-loop';
import { fact, type EventData } from '#libs/events';
import { derivedId, jsonEqual, type JsonObject } from '#libs/kernel';
import type { AdmissionConfiguration } from '#libs/kube-api';

const nothingSet: AdmissionConfiguration = { enabled: [], disabled: [], limitedResources: [] };

/** Tells in the log what admission goes by from now on, where that is something else than before: every process hears of it, and so does who reads the log later. */
export async function configureAdmission(runtime: ClusterRuntime, wanted: AdmissionConfiguration = nothingSet): Promise<void> {
  const present = runtime.state.admission ?? nothingSet;
  if (jsonEqual(wanted as unknown as JsonObject, present as unknown as JsonObject)) return;
  const operation = 'admission';
  const origin: Origin = { actor: 'apiserver', operation, correlationId: derivedId(`${runtime.options.writer}/${operation}`) };
  const told = fact('AdmissionConfigured', wanted as unknown as EventData<'AdmissionConfigured'>);
  const { position } = await runtime.appendDecision('cluster-lifecycle', [told], origin, '0');
  await runtime.whenFolded(position);
}
