import type { BareStatus } from './bare-status';
import type { Channels } from './channels';
import { Input } from './input';
import type { CommandOptions, CommandStreams } from './service';

/** Channels of exec and attach: stdin, stdout, stderr, how it ended, the size of the terminal. */
export const commandChannels = 5;
const stdinChannel = 0;
const errorChannel = 3;
const numbers = { stdout: 1, stderr: 2 } as const;

/** exec and attach over the channels of a WebSocket. */
export class ChannelStreams implements CommandStreams {
  readonly isTranslated: boolean;
  private readonly input: Input;

  constructor(
    private readonly channels: Channels,
    private readonly protocol: string,
    private readonly options: CommandOptions,
  ) {
    this.isTranslated = protocol.startsWith('v5.');
    this.input = new Input(channels);
    channels.listen((channel, bytes) => {
      if (channel === stdinChannel && options.stdin) this.input.push(bytes);
    });
    // An empty message tells that the connection stands.
    channels.send(options.stdout ? numbers.stdout : options.stderr ? numbers.stderr : errorChannel, Buffer.alloc(0));
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.options[stream]) this.channels.send(numbers[stream], bytes);
  }

  whenTaken(): Promise<void> {
    return this.channels.whenTaken();
  }

  onInput(callback: (bytes: Buffer) => Promise<void>): void {
    this.input.listen(callback);
  }

  onInputEnd(callback: () => void): void {
    this.input.listenForEnd(callback);
  }

  onClosed(callback: () => void): void {
    this.channels.onClosed(callback);
  }

  /** From v4 on a Status; before, the text of a failure, and nothing of a success. */
  end(status: BareStatus): void {
    const isJson = /^v[45]\./.test(this.protocol);
    if (isJson) this.channels.send(errorChannel, Buffer.from(JSON.stringify(status)));
    else if (status.status !== 'Success') this.channels.send(errorChannel, Buffer.from(status.message ?? ''));
    this.channels.close();
  }
}
