import { internalError } from '#libs/kube-api';
import { textAnswer, type Answer } from '../answer';
import { acceptWebSocket, type UpgradeRequest } from '../websocket/accept';
import { agreeOnProtocol, askedProtocols, asksForWebSocket, type Handshake, type HandshakeRefusal } from '../websocket/handshake';
import { Channels } from './channels';
import { ChannelStreams, commandChannels } from './channel-streams';
import { bareStatus } from './bare-status';
import type { CommandService, RemoteService } from './service';

/** Longest message that a client may send, bytes (`golang.org/x/net/websocket`). */
const messageMax = 32 * 1024 * 1024;
/** Spoken by the API server itself; the others by the node, to which it passes them on. */
const v5 = 'v5.channel.k8s.io';
const nodeProtocols = ['', 'channel.k8s.io', 'base64.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];

/** What becomes of a request to connect: an answer in plain HTTP, or the handshake of what is spoken from now on. */
export type Connection = { answer: Answer } | { refusal: HandshakeRefusal } | { open: () => Promise<void> };

/** A refusal of the node, passed on as it came. */
export const nodeRefusal = (text: string): Connection => ({
  answer: { status: 500, contentType: 'text/plain; charset=utf-8', body: text },
});

/** exec, attach and port-forward, in whichever protocol the client asks for. */
export function connectTo(service: RemoteService, upgrade: UpgradeRequest): Connection {
  const { headers } = upgrade.request;
  if (service.kind === 'command' && asksForWebSocket(headers)) return commandOverWebSocket(service, upgrade);
  return { answer: textAnswer(400, 'unable to upgrade: missing upgrade headers in request\n') };
}

function commandOverWebSocket(service: CommandService, upgrade: UpgradeRequest): Connection {
  const { headers, method = 'GET' } = upgrade.request;
  const isTranslated = askedProtocols(headers).includes(v5);
  const { stdin, stdout, stderr } = service.options;
  if (!isTranslated) {
    if (!stdin && !stdout && !stderr) return { answer: textAnswer(400, 'you must specify at least 1 of stdin, stdout, stderr\n') };
    if (service.refusal !== undefined) return nodeRefusal(service.refusal);
  }
  const agreed = agreeOnProtocol(method, headers, isTranslated ? [v5] : nodeProtocols);
  if ('refused' in agreed) return { refusal: agreed };
  return { open: () => openCommand(service, upgrade, agreed) };
}

async function openCommand(service: CommandService, upgrade: UpgradeRequest, { protocol }: Handshake): Promise<void> {
  const webSocket = await acceptWebSocket(upgrade, protocol, messageMax);
  const streams = new ChannelStreams(new Channels(webSocket, upgrade.socket, protocol, commandChannels), protocol, service.options);
  if (service.refusal === undefined) service.begin(streams);
  // The API server has already answered 101 when the node refuses.
  else streams.end(bareStatus(internalError(`unable to upgrade connection: ${service.refusal}`)));
}
