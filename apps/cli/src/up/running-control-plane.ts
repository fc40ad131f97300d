/** A running control plane, whichever way its apps are spread over processes. */
export interface RunningControlPlane {
  port: number | undefined;
  resumed: boolean;
  /** Pid by app, the event store among them. */
  pids(): Record<string, number>;
  /** Called whenever a pid changes. */
  onChange(callback: () => void): void;
  close(): Promise<void>;
}
