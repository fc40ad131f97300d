import { internalError, plainError } from '#libs/kube-api';
import { statusAnswer, textAnswer, upgradeMissing, type Answer } from '../answer';
import { connectionPipe, webSocketPipe } from '../spdy/pipes';
import { acceptWebSocket, type UpgradeRequest } from '../websocket/accept';
import { agreeOnProtocol, askedProtocols, asksForWebSocket, type HandshakeRefusal } from '../websocket/handshake';
import { bareStatus } from './bare-status';
import { Channels } from './channels';
import { ChannelStreams, commandChannels } from './channel-streams';
import { forwardOverChannels, forwardOverSpdy } from './forwarding';
import type { CommandService, PortService, RemoteService } from './service';
import { SpdyStreams } from './spdy-streams';

/** Longest message that a client may send, bytes (`golang.org/x/net/websocket`). */
const messageMax = 32 * 1024 * 1024;
/** Spoken by the API server itself; the others by the node, to which it passes them on. */
const v5 = 'v5.channel.k8s.io';
const nodeProtocols = ['', 'channel.k8s.io', 'base64.channel.k8s.io', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];
const spdyProtocols = ['v4.channel.k8s.io', 'v3.channel.k8s.io', 'v2.channel.k8s.io', 'channel.k8s.io'];
const portProtocol = 'portforward.k8s.io';
const tunnel = `SPDY/3.1+${portProtocol}`;
const portChannelProtocols = ['', 'v4.channel.k8s.io', 'v4.base64.channel.k8s.io'];

/** What becomes of a request to connect: an answer in plain HTTP, or the handshake of what is spoken from now on. */
export type Connection = { answer: Answer } | { refusal: HandshakeRefusal } | { open: () => Promise<void> | void };

/** Refusals of the node, passed on as they came. */
const nodeRefusal = (text: string, status = 500): Connection => ({
  answer: { status, contentType: 'text/plain; charset=utf-8', body: text },
});

/** exec, attach and port-forward, in whichever protocol the client asks for. */
export function connectTo(service: RemoteService, upgrade: UpgradeRequest): Connection {
  const { headers } = upgrade.request;
  const isTranslated = service.kind === 'command' && asksForWebSocket(headers) && askedProtocols(headers).includes(v5);
  const { unreachable } = service;
  if (!isTranslated && unreachable) return { answer: statusAnswer(plainError(`error dialing backend: ${unreachable.dialError}`)) };
  if (!isTranslated && service.refusal !== undefined) return nodeRefusal(service.refusal);
  if (service.kind === 'command' && !isTranslated) {
    const { stdin, stdout, stderr } = service.options;
    if (!stdin && !stdout && !stderr) return { answer: textAnswer(400, 'you must specify at least 1 of stdin, stdout, stderr\n') };
  }
  if (asksForWebSocket(headers))
    return service.kind === 'command' ? commandOverWebSocket(service, upgrade, isTranslated) : portsOverWebSocket(service, upgrade);
  if (headers.upgrade?.toLowerCase().includes('spdy/3.1')) return overSpdy(service, upgrade);
  return { answer: upgradeMissing() };
}

function commandOverWebSocket(service: CommandService, upgrade: UpgradeRequest, isTranslated: boolean): Connection {
  const { headers, method = 'GET' } = upgrade.request;
  const agreed = agreeOnProtocol(method, headers, isTranslated ? [v5] : nodeProtocols);
  if ('refused' in agreed) return { refusal: agreed };
  const { protocol } = agreed;
  return {
    open: async () => {
      const webSocket = await acceptWebSocket(upgrade, protocol, messageMax);
      const streams = new ChannelStreams(new Channels(webSocket, upgrade.socket, protocol, commandChannels), protocol, service.options);
      // The API server has already answered 101 when it turns to the node, and when the node refuses.
      if (service.unreachable) streams.end(bareStatus(internalError(`error sending request: ${service.unreachable.request}`)));
      else if (service.refusal === undefined) service.begin(streams);
      else streams.end(bareStatus(internalError(`unable to upgrade connection: ${service.refusal}`)));
    },
  };
}

function portsOverWebSocket(service: PortService, upgrade: UpgradeRequest): Connection {
  const { headers, method = 'GET' } = upgrade.request;
  const isTunnel = askedProtocols(headers).includes(tunnel);
  const { ports } = service;
  if (!isTunnel && 'error' in ports) return nodeRefusal(ports.error, 400);
  const agreed = agreeOnProtocol(method, headers, isTunnel ? [tunnel] : portChannelProtocols);
  if ('refused' in agreed) return { refusal: agreed };
  const { protocol } = agreed;
  return {
    open: async () => {
      const webSocket = await acceptWebSocket(upgrade, protocol, messageMax);
      if (isTunnel || 'error' in ports) forwardOverSpdy(service, webSocketPipe(webSocket, upgrade.socket));
      else forwardOverChannels(service, ports, new Channels(webSocket, upgrade.socket, protocol, 2 * ports.length));
    },
  };
}

function overSpdy(service: RemoteService, upgrade: UpgradeRequest): Connection {
  const { request, socket, head } = upgrade;
  const text = request.headers['x-stream-protocol-version'];
  const asked = (Array.isArray(text) ? text.join(',') : (text ?? '')).split(',').map((name) => name.trim());
  const allowed = service.kind === 'command' ? spdyProtocols : [portProtocol];
  if (asked.join('') === '') return { answer: textAnswer(400, 'unable to upgrade: X-Stream-Protocol-Version is required\n') };
  const protocol = asked.find((name) => allowed.includes(name));
  if (protocol === undefined) {
    const told = `client supports [${asked.join(' ')}], server accepts [${allowed.join(' ')}]`;
    const answer = textAnswer(403, `unable to upgrade: unable to negotiate protocol: ${told}\n`);
    return { answer: { ...answer, headers: { ...answer.headers, 'X-Accepted-Stream-Protocol-Versions': allowed } } };
  }
  return {
    open: () => {
      const lines = [
        'HTTP/1.1 101 Switching Protocols',
        'Connection: Upgrade',
        'Upgrade: SPDY/3.1',
        `X-Stream-Protocol-Version: ${protocol}`,
      ];
      socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      const pipe = connectionPipe(socket, head);
      if (service.kind === 'command') new SpdyStreams(pipe, protocol, service.options, (streams) => service.begin(streams));
      else forwardOverSpdy(service, pipe);
    },
  };
}
