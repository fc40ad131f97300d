/** The decoded messages, as far as the handlers look at them. Long numbers are decimal text on the way in. */
export type Empty = Record<string, never>;

export interface WireUuid {
  string?: string;
  structured?: { most_significant_bits?: string; least_significant_bits?: string };
}

export interface WireStreamIdentifier {
  stream_name?: Uint8Array;
}

/** One of the last three or the revision, under the name the message gives it. */
export interface WireExpectation {
  stream_identifier?: WireStreamIdentifier;
  revision?: string;
  stream_position?: string;
  no_stream?: object;
  any?: object;
  stream_exists?: object;
}

export interface WireProposedMessage {
  id?: WireUuid;
  metadata?: Record<string, string>;
  custom_metadata?: Uint8Array;
  data?: Uint8Array;
}

export interface AppendRequestMessage {
  options?: WireExpectation;
  proposed_message?: WireProposedMessage;
}

export interface BatchAppendOptions extends WireExpectation {
  deadline_21_10_0?: { seconds?: string; nanos?: number };
  deadline?: { seconds?: string; nanos?: number };
}

export interface BatchAppendRequestMessage {
  correlation_id?: WireUuid;
  options?: BatchAppendOptions;
  proposed_messages?: WireProposedMessage[];
  is_final?: boolean;
}

export interface DeleteRequestMessage {
  options?: WireExpectation;
}

export interface WireExpression {
  regex?: string;
  prefix?: string[];
}

export interface WireFilter {
  stream_identifier?: WireExpression;
  event_type?: WireExpression;
  max?: number;
  count?: object;
  checkpointIntervalMultiplier?: number;
}

export interface ReadOptions {
  stream?: { stream_identifier?: WireStreamIdentifier; revision?: string; start?: object; end?: object };
  all?: { position?: { commit_position?: string; prepare_position?: string }; start?: object; end?: object };
  read_direction?: number;
  resolve_links?: boolean;
  count?: string;
  subscription?: object;
  filter?: WireFilter;
  no_filter?: object;
  uuid_option?: { structured?: object; string?: object };
  control_option?: { compatibility?: number };
}

export interface ReadRequestMessage {
  options?: ReadOptions;
}
