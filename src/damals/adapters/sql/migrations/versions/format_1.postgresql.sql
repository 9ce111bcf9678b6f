CREATE TABLE meta (
  name TEXT COLLATE "C" NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (name)
);

CREATE TABLE workspaces (
  id BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  zone TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  key BYTEA NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name)
);

CREATE TABLE index_cursors (
  index_name TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (index_name)
);

CREATE TABLE principals (
  id BIGINT NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  digest BYTEA NOT NULL,
  roles TEXT COLLATE "C" NOT NULL,
  workspaces TEXT COLLATE "C" NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  sensitivity BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (digest)
);

CREATE INDEX principals_name ON principals (name);

CREATE TABLE tombstones (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  target BYTEA NOT NULL,
  salt BYTEA,
  erased_at BIGINT NOT NULL,
  number BIGINT,
  actor TEXT COLLATE "C" NOT NULL,
  readmitted_at BIGINT NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX tombstones_target ON tombstones (workspace_id, kind, target);

CREATE TABLE erasures (
  id BIGINT NOT NULL,
  erasure_id BYTEA NOT NULL,
  workspace_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  target BYTEA NOT NULL,
  salt BYTEA,
  stage TEXT COLLATE "C" NOT NULL,
  pending TEXT COLLATE "C" NOT NULL,
  started_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL,
  certificate TEXT COLLATE "C",
  PRIMARY KEY (id),
  UNIQUE (erasure_id)
);

CREATE TABLE contents (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  lookup BYTEA,
  salt BYTEA,
  digest BYTEA NOT NULL,
  text TEXT COLLATE "C",
  PRIMARY KEY (id),
  UNIQUE (workspace_id, lookup),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
);

CREATE TABLE touches (
  workspace_id BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  recorded_at BIGINT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (workspace_id, entry_id, recorded_at),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
);

CREATE TABLE denials (
  id BIGINT NOT NULL,
  workspace_id BIGINT,
  denied_at BIGINT NOT NULL,
  principal BIGINT,
  channel TEXT COLLATE "C" NOT NULL,
  call TEXT COLLATE "C" NOT NULL,
  problem TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(principal) REFERENCES principals (id)
);

CREATE INDEX denials_at ON denials (denied_at);

CREATE TABLE transactions (
  position BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  recorded_at BIGINT NOT NULL,
  logged_at BIGINT NOT NULL,
  zone TEXT COLLATE "C" NOT NULL,
  actor_id BIGINT NOT NULL,
  reason_id BIGINT,
  previous BYTEA NOT NULL,
  hash BYTEA NOT NULL,
  PRIMARY KEY (position),
  UNIQUE (workspace_id, number),
  UNIQUE (workspace_id, recorded_at),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(actor_id) REFERENCES contents (id),
  FOREIGN KEY(reason_id) REFERENCES contents (id)
);

CREATE TABLE accesses (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  accessed_at BIGINT NOT NULL,
  channel TEXT COLLATE "C" NOT NULL,
  principal_id BIGINT,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(principal_id) REFERENCES contents (id)
);

CREATE INDEX accesses_entry ON accesses (workspace_id, entry_id, accessed_at);

CREATE TABLE receipts (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  receipt_id BYTEA NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  number BIGINT NOT NULL,
  as_of BIGINT NOT NULL,
  known_at BIGINT NOT NULL,
  principal_id BIGINT,
  question_id BIGINT NOT NULL,
  document_id BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, receipt_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(principal_id) REFERENCES contents (id),
  FOREIGN KEY(question_id) REFERENCES contents (id),
  FOREIGN KEY(document_id) REFERENCES contents (id)
);

CREATE TABLE evaluations (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  receipt_id BYTEA,
  question_id BIGINT,
  document_id BIGINT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(question_id) REFERENCES contents (id),
  FOREIGN KEY(document_id) REFERENCES contents (id)
);

CREATE INDEX evaluations_kind ON evaluations (workspace_id, kind, created_at);

CREATE TABLE telemetry (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  created_at BIGINT NOT NULL,
  receipt_id BYTEA,
  document_id BIGINT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(document_id) REFERENCES contents (id)
);

CREATE INDEX telemetry_kind ON telemetry (workspace_id, kind, created_at);

CREATE TABLE sources (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  name_id BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  root_id BIGINT NOT NULL,
  result_id BIGINT,
  imported_at BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, name_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(name_id) REFERENCES contents (id),
  FOREIGN KEY(root_id) REFERENCES contents (id),
  FOREIGN KEY(result_id) REFERENCES contents (id)
);

CREATE TABLE jobs (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  job_id BYTEA NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  done BIGINT NOT NULL,
  total BIGINT,
  request_id BIGINT NOT NULL,
  result_id BIGINT,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, job_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(request_id) REFERENCES contents (id),
  FOREIGN KEY(result_id) REFERENCES contents (id)
);

CREATE TABLE idempotency (
  key_digest BYTEA NOT NULL,
  workspace_id BIGINT,
  request_digest BYTEA NOT NULL,
  status BIGINT NOT NULL,
  response_id BIGINT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (key_digest),
  FOREIGN KEY(response_id) REFERENCES contents (id)
);

CREATE INDEX idempotency_at ON idempotency (created_at);

CREATE TABLE operations (
  workspace_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  entry_id BYTEA,
  params_id BIGINT NOT NULL,
  title_id BIGINT,
  content_id BIGINT,
  reason_id BIGINT,
  touched BYTEA NOT NULL,
  digest BYTEA NOT NULL,
  PRIMARY KEY (workspace_id, number, seq),
  FOREIGN KEY(workspace_id, number) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(params_id) REFERENCES contents (id),
  FOREIGN KEY(title_id) REFERENCES contents (id),
  FOREIGN KEY(content_id) REFERENCES contents (id),
  FOREIGN KEY(reason_id) REFERENCES contents (id)
);

CREATE TABLE entries (
  workspace_id BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  external_id BIGINT,
  created_by BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  erased_at BIGINT NOT NULL,
  erased_by BIGINT,
  digest BYTEA NOT NULL,
  PRIMARY KEY (workspace_id, entry_id),
  FOREIGN KEY(workspace_id, created_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(external_id) REFERENCES contents (id)
);

CREATE INDEX entries_created ON entries (workspace_id, created_by);

CREATE UNIQUE INDEX entries_external ON entries (workspace_id, external_id) WHERE erased_at = 253402300799999999;

CREATE TABLE receipt_entries (
  receipt BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  PRIMARY KEY (receipt, entry_id),
  FOREIGN KEY(receipt) REFERENCES receipts (id)
);

CREATE INDEX receipt_entries_entry ON receipt_entries (entry_id);

CREATE TABLE versions (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  start_earliest BIGINT NOT NULL,
  start_latest BIGINT NOT NULL,
  start_kind TEXT COLLATE "C" NOT NULL,
  start_text TEXT COLLATE "C",
  start_uncertain BIGINT NOT NULL,
  end_earliest BIGINT NOT NULL,
  end_latest BIGINT NOT NULL,
  end_kind TEXT COLLATE "C" NOT NULL,
  end_text TEXT COLLATE "C",
  end_uncertain BIGINT NOT NULL,
  zone TEXT COLLATE "C" NOT NULL,
  generation BIGINT NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  title_id BIGINT NOT NULL,
  content_id BIGINT NOT NULL,
  key_id BIGINT,
  source_name_id BIGINT,
  path_id BIGINT,
  attributes_id BIGINT NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  sensitivity BIGINT NOT NULL,
  recorded_from BIGINT NOT NULL,
  opened_by BIGINT NOT NULL,
  recorded_to BIGINT NOT NULL,
  closed_by BIGINT,
  operation BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id, entry_id) REFERENCES entries (workspace_id, entry_id),
  CHECK (start_earliest < end_latest),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(title_id) REFERENCES contents (id),
  FOREIGN KEY(content_id) REFERENCES contents (id),
  FOREIGN KEY(key_id) REFERENCES contents (id),
  FOREIGN KEY(source_name_id) REFERENCES contents (id),
  FOREIGN KEY(path_id) REFERENCES contents (id),
  FOREIGN KEY(attributes_id) REFERENCES contents (id)
);

CREATE INDEX versions_closed ON versions (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX versions_key ON versions (workspace_id, key_id, recorded_from, start_earliest) WHERE key_id IS NOT NULL;

CREATE INDEX versions_current_statement ON versions (workspace_id, title_id, content_id) WHERE recorded_to = 253402300799999999;

CREATE INDEX versions_source ON versions (workspace_id, source_name_id, entry_id) WHERE source_name_id IS NOT NULL;

CREATE INDEX versions_opened ON versions (workspace_id, opened_by);

CREATE INDEX versions_current ON versions (workspace_id, entry_id, start_earliest, end_latest, start_latest, end_earliest) WHERE recorded_to = 253402300799999999;

CREATE INDEX versions_entry ON versions (workspace_id, entry_id, recorded_from);

CREATE UNIQUE INDEX versions_current_key ON versions (workspace_id, key_id, start_earliest, start_latest, end_earliest, end_latest) WHERE recorded_to = 253402300799999999 AND key_id IS NOT NULL;

CREATE TABLE relations (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  relation_id BYTEA NOT NULL,
  src_id BYTEA NOT NULL,
  dst_id BYTEA NOT NULL,
  relation TEXT COLLATE "C" NOT NULL,
  start_earliest BIGINT NOT NULL,
  start_latest BIGINT NOT NULL,
  start_kind TEXT COLLATE "C" NOT NULL,
  start_text TEXT COLLATE "C",
  start_uncertain BIGINT NOT NULL,
  end_earliest BIGINT NOT NULL,
  end_latest BIGINT NOT NULL,
  end_kind TEXT COLLATE "C" NOT NULL,
  end_text TEXT COLLATE "C",
  end_uncertain BIGINT NOT NULL,
  "symmetric" BIGINT NOT NULL,
  confidence DOUBLE PRECISION NOT NULL,
  evidence BYTEA NOT NULL,
  declared BIGINT NOT NULL,
  cuts BIGINT NOT NULL,
  derived BIGINT NOT NULL,
  rule TEXT COLLATE "C",
  target_id BIGINT,
  unresolved BIGINT NOT NULL,
  resolution TEXT COLLATE "C",
  recorded_from BIGINT NOT NULL,
  opened_by BIGINT NOT NULL,
  recorded_to BIGINT NOT NULL,
  closed_by BIGINT,
  operation BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  PRIMARY KEY (id),
  CHECK (start_earliest < end_latest),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id, src_id) REFERENCES entries (workspace_id, entry_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(target_id) REFERENCES contents (id)
);

CREATE INDEX relations_cuts ON relations (workspace_id, dst_id, start_earliest, end_latest) WHERE cuts = 1;

CREATE INDEX relations_closed ON relations (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX relations_links ON relations (workspace_id, src_id) WHERE declared = 1 AND target_id IS NOT NULL AND recorded_to = 253402300799999999;

CREATE INDEX relations_src ON relations (workspace_id, src_id, recorded_from);

CREATE INDEX relations_dst ON relations (workspace_id, dst_id, recorded_from);

CREATE INDEX relations_opened ON relations (workspace_id, opened_by);

CREATE TABLE archivings (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  reason_id BIGINT,
  recorded_from BIGINT NOT NULL,
  opened_by BIGINT NOT NULL,
  recorded_to BIGINT NOT NULL,
  closed_by BIGINT,
  operation BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id, entry_id) REFERENCES entries (workspace_id, entry_id),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(reason_id) REFERENCES contents (id)
);

CREATE INDEX archivings_opened ON archivings (workspace_id, opened_by);

CREATE UNIQUE INDEX archivings_current ON archivings (workspace_id, entry_id) WHERE recorded_to = 253402300799999999;

CREATE INDEX archivings_entry ON archivings (workspace_id, entry_id, recorded_from);

CREATE INDEX archivings_closed ON archivings (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE TABLE verifications (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  entry_id BYTEA NOT NULL,
  grounding_score DOUBLE PRECISION NOT NULL,
  evidence_id BIGINT,
  recorded_from BIGINT NOT NULL,
  opened_by BIGINT NOT NULL,
  recorded_to BIGINT NOT NULL,
  closed_by BIGINT,
  operation BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id, entry_id) REFERENCES entries (workspace_id, entry_id),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(evidence_id) REFERENCES contents (id)
);

CREATE INDEX verifications_opened ON verifications (workspace_id, opened_by);

CREATE INDEX verifications_entry ON verifications (workspace_id, entry_id, recorded_from);

CREATE INDEX verifications_closed ON verifications (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE TABLE chunks (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  point_id BYTEA NOT NULL,
  chunk_id BYTEA NOT NULL,
  entry_id BYTEA NOT NULL,
  start_earliest BIGINT NOT NULL,
  start_latest BIGINT NOT NULL,
  start_kind TEXT COLLATE "C" NOT NULL,
  start_text TEXT COLLATE "C",
  start_uncertain BIGINT NOT NULL,
  end_earliest BIGINT NOT NULL,
  end_latest BIGINT NOT NULL,
  end_kind TEXT COLLATE "C" NOT NULL,
  end_text TEXT COLLATE "C",
  end_uncertain BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  title_id BIGINT NOT NULL,
  heading_id BIGINT NOT NULL,
  content_id BIGINT NOT NULL,
  start_offset BIGINT NOT NULL,
  end_offset BIGINT NOT NULL,
  line BIGINT NOT NULL,
  page BIGINT,
  chunker BIGINT NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  lang TEXT COLLATE "C" NOT NULL,
  tags_id BIGINT NOT NULL,
  path_id BIGINT,
  age_at BIGINT NOT NULL,
  recorded_from BIGINT NOT NULL,
  opened_by BIGINT NOT NULL,
  recorded_to BIGINT NOT NULL,
  closed_by BIGINT,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id, entry_id) REFERENCES entries (workspace_id, entry_id),
  CHECK (start_earliest < end_latest),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(title_id) REFERENCES contents (id),
  FOREIGN KEY(heading_id) REFERENCES contents (id),
  FOREIGN KEY(content_id) REFERENCES contents (id),
  FOREIGN KEY(tags_id) REFERENCES contents (id),
  FOREIGN KEY(path_id) REFERENCES contents (id)
);

CREATE INDEX chunks_point ON chunks (point_id, workspace_id);

CREATE INDEX chunks_closed ON chunks (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX chunks_entry ON chunks (workspace_id, entry_id, recorded_from);

CREATE INDEX chunks_opened ON chunks (workspace_id, opened_by);

CREATE INDEX chunks_current ON chunks (workspace_id, entry_id) WHERE recorded_to = 253402300799999999;

CREATE TABLE version_tags (
  version_id BIGINT NOT NULL,
  tag TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (version_id, tag),
  FOREIGN KEY(version_id) REFERENCES versions (id)
);

CREATE INDEX version_tags_tag ON version_tags (tag);

CREATE TABLE version_acl (
  version_id BIGINT NOT NULL,
  principal TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (version_id, principal),
  FOREIGN KEY(version_id) REFERENCES versions (id)
);

CREATE TABLE vector_queue (
  index_name TEXT COLLATE "C" NOT NULL,
  chunk BIGINT NOT NULL,
  PRIMARY KEY (index_name, chunk),
  FOREIGN KEY(chunk) REFERENCES chunks (id)
);
