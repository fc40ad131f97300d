/** A running control plane, whichever way its apps are spread over processes. */
export interface RunningControlPlane {
  port: number | undefined;
  resumed: boolean;
  /** Pid by app, the event store among them. */
  pids(): Record<string, number>;
  /** Called whenever a pid changes. */
  onChange(callback: () => void): void;
  /** Called when the log is lost for good, and with it the cluster. */
  onLost(callback: (error: Error) => void): void;
  close(): Promise<void>;
}
