CREATE TABLE meta (
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (name)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE workspaces (
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  zone TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  "key" BLOB NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (name)
)
 STRICT;

CREATE TABLE index_cursors (
  index_name TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (index_name)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE principals (
  id INTEGER NOT NULL,
  name TEXT NOT NULL,
  digest BLOB NOT NULL,
  roles TEXT NOT NULL,
  workspaces TEXT NOT NULL,
  visibility TEXT NOT NULL,
  sensitivity INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (digest)
)
 STRICT;

CREATE INDEX principals_name ON principals (name);

CREATE TABLE tombstones (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target BLOB NOT NULL,
  salt BLOB,
  erased_at INTEGER NOT NULL,
  number INTEGER,
  actor TEXT NOT NULL,
  readmitted_at INTEGER NOT NULL,
  PRIMARY KEY (id)
)
 STRICT;

CREATE INDEX tombstones_target ON tombstones (workspace_id, kind, target);

CREATE TABLE erasures (
  id INTEGER NOT NULL,
  erasure_id BLOB NOT NULL,
  workspace_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target BLOB NOT NULL,
  salt BLOB,
  stage TEXT NOT NULL,
  pending TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  certificate TEXT,
  PRIMARY KEY (id),
  UNIQUE (erasure_id)
)
 STRICT;

CREATE TABLE contents (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  lookup BLOB,
  salt BLOB,
  digest BLOB NOT NULL,
  text TEXT,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, lookup),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
)
 STRICT;

CREATE TABLE touches (
  workspace_id INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  recorded_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (workspace_id, entry_id, recorded_at),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE denials (
  id INTEGER NOT NULL,
  workspace_id INTEGER,
  denied_at INTEGER NOT NULL,
  principal INTEGER,
  channel TEXT NOT NULL,
  call TEXT NOT NULL,
  problem TEXT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(principal) REFERENCES principals (id)
)
 STRICT;

CREATE INDEX denials_at ON denials (denied_at);

CREATE TABLE transactions (
  position INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL,
  logged_at INTEGER NOT NULL,
  zone TEXT NOT NULL,
  actor_id INTEGER NOT NULL,
  reason_id INTEGER,
  previous BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (position),
  UNIQUE (workspace_id, number),
  UNIQUE (workspace_id, recorded_at),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(actor_id) REFERENCES contents (id),
  FOREIGN KEY(reason_id) REFERENCES contents (id)
)
 STRICT;

CREATE TABLE accesses (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  accessed_at INTEGER NOT NULL,
  channel TEXT NOT NULL,
  principal_id INTEGER,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(principal_id) REFERENCES contents (id)
)
 STRICT;

CREATE INDEX accesses_entry ON accesses (workspace_id, entry_id, accessed_at);

CREATE TABLE receipts (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  receipt_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  as_of INTEGER NOT NULL,
  known_at INTEGER NOT NULL,
  principal_id INTEGER,
  question_id INTEGER NOT NULL,
  document_id INTEGER NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, receipt_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(principal_id) REFERENCES contents (id),
  FOREIGN KEY(question_id) REFERENCES contents (id),
  FOREIGN KEY(document_id) REFERENCES contents (id)
)
 STRICT;

CREATE TABLE evaluations (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  receipt_id BLOB,
  question_id INTEGER,
  document_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(question_id) REFERENCES contents (id),
  FOREIGN KEY(document_id) REFERENCES contents (id)
)
 STRICT;

CREATE INDEX evaluations_kind ON evaluations (workspace_id, kind, created_at);

CREATE TABLE telemetry (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  receipt_id BLOB,
  document_id INTEGER NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(document_id) REFERENCES contents (id)
)
 STRICT;

CREATE INDEX telemetry_kind ON telemetry (workspace_id, kind, created_at);

CREATE TABLE sources (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  name_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  root_id INTEGER NOT NULL,
  result_id INTEGER,
  imported_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, name_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(name_id) REFERENCES contents (id),
  FOREIGN KEY(root_id) REFERENCES contents (id),
  FOREIGN KEY(result_id) REFERENCES contents (id)
)
 STRICT;

CREATE TABLE jobs (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  job_id BLOB NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER,
  request_id INTEGER NOT NULL,
  result_id INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, job_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(request_id) REFERENCES contents (id),
  FOREIGN KEY(result_id) REFERENCES contents (id)
)
 STRICT;

CREATE TABLE idempotency (
  key_digest BLOB NOT NULL,
  workspace_id INTEGER,
  request_digest BLOB NOT NULL,
  status INTEGER NOT NULL,
  response_id INTEGER,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key_digest),
  FOREIGN KEY(response_id) REFERENCES contents (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX idempotency_at ON idempotency (created_at);

CREATE TABLE operations (
  workspace_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entry_id BLOB,
  params_id INTEGER NOT NULL,
  title_id INTEGER,
  content_id INTEGER,
  reason_id INTEGER,
  touched BLOB NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (workspace_id, number, seq),
  FOREIGN KEY(workspace_id, number) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(params_id) REFERENCES contents (id),
  FOREIGN KEY(title_id) REFERENCES contents (id),
  FOREIGN KEY(content_id) REFERENCES contents (id),
  FOREIGN KEY(reason_id) REFERENCES contents (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE entries (
  workspace_id INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  external_id INTEGER,
  created_by INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  erased_at INTEGER NOT NULL,
  erased_by INTEGER,
  digest BLOB NOT NULL,
  PRIMARY KEY (workspace_id, entry_id),
  FOREIGN KEY(workspace_id, created_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(external_id) REFERENCES contents (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX entries_created ON entries (workspace_id, created_by);

CREATE UNIQUE INDEX entries_external ON entries (workspace_id, external_id) WHERE erased_at = 253402300799999999;

CREATE TABLE receipt_entries (
  receipt INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  PRIMARY KEY (receipt, entry_id),
  FOREIGN KEY(receipt) REFERENCES receipts (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX receipt_entries_entry ON receipt_entries (entry_id);

CREATE TABLE versions (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  start_earliest INTEGER NOT NULL,
  start_latest INTEGER NOT NULL,
  start_kind TEXT NOT NULL,
  start_text TEXT,
  start_uncertain INTEGER NOT NULL,
  end_earliest INTEGER NOT NULL,
  end_latest INTEGER NOT NULL,
  end_kind TEXT NOT NULL,
  end_text TEXT,
  end_uncertain INTEGER NOT NULL,
  zone TEXT NOT NULL,
  generation INTEGER NOT NULL,
  type TEXT NOT NULL,
  title_id INTEGER NOT NULL,
  content_id INTEGER NOT NULL,
  key_id INTEGER,
  source_name_id INTEGER,
  path_id INTEGER,
  attributes_id INTEGER NOT NULL,
  visibility TEXT NOT NULL,
  sensitivity INTEGER NOT NULL,
  recorded_from INTEGER NOT NULL,
  opened_by INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  closed_by INTEGER,
  operation INTEGER NOT NULL,
  digest BLOB NOT NULL,
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
)
 STRICT;

CREATE INDEX versions_opened ON versions (workspace_id, opened_by);

CREATE INDEX versions_source ON versions (workspace_id, source_name_id, entry_id) WHERE source_name_id IS NOT NULL;

CREATE INDEX versions_current ON versions (workspace_id, entry_id, start_earliest, end_latest, start_latest, end_earliest) WHERE recorded_to = 253402300799999999;

CREATE UNIQUE INDEX versions_current_key ON versions (workspace_id, key_id, start_earliest, start_latest, end_earliest, end_latest) WHERE recorded_to = 253402300799999999 AND key_id IS NOT NULL;

CREATE INDEX versions_entry ON versions (workspace_id, entry_id, recorded_from);

CREATE INDEX versions_closed ON versions (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX versions_key ON versions (workspace_id, key_id, recorded_from, start_earliest) WHERE key_id IS NOT NULL;

CREATE INDEX versions_current_statement ON versions (workspace_id, title_id, content_id) WHERE recorded_to = 253402300799999999;

CREATE TABLE relations (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  relation_id BLOB NOT NULL,
  src_id BLOB NOT NULL,
  dst_id BLOB NOT NULL,
  relation TEXT NOT NULL,
  start_earliest INTEGER NOT NULL,
  start_latest INTEGER NOT NULL,
  start_kind TEXT NOT NULL,
  start_text TEXT,
  start_uncertain INTEGER NOT NULL,
  end_earliest INTEGER NOT NULL,
  end_latest INTEGER NOT NULL,
  end_kind TEXT NOT NULL,
  end_text TEXT,
  end_uncertain INTEGER NOT NULL,
  symmetric INTEGER NOT NULL,
  confidence REAL NOT NULL,
  evidence BLOB NOT NULL,
  declared INTEGER NOT NULL,
  cuts INTEGER NOT NULL,
  derived INTEGER NOT NULL,
  rule TEXT,
  target_id INTEGER,
  unresolved INTEGER NOT NULL,
  resolution TEXT,
  recorded_from INTEGER NOT NULL,
  opened_by INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  closed_by INTEGER,
  operation INTEGER NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (id),
  CHECK (start_earliest < end_latest),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id, src_id) REFERENCES entries (workspace_id, entry_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(target_id) REFERENCES contents (id)
)
 STRICT;

CREATE INDEX relations_cuts ON relations (workspace_id, dst_id, start_earliest, end_latest) WHERE cuts = 1;

CREATE INDEX relations_closed ON relations (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX relations_links ON relations (workspace_id, src_id) WHERE declared = 1 AND target_id IS NOT NULL AND recorded_to = 253402300799999999;

CREATE INDEX relations_src ON relations (workspace_id, src_id, recorded_from);

CREATE INDEX relations_dst ON relations (workspace_id, dst_id, recorded_from);

CREATE INDEX relations_opened ON relations (workspace_id, opened_by);

CREATE TABLE archivings (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  reason_id INTEGER,
  recorded_from INTEGER NOT NULL,
  opened_by INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  closed_by INTEGER,
  operation INTEGER NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id, entry_id) REFERENCES entries (workspace_id, entry_id),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(reason_id) REFERENCES contents (id)
)
 STRICT;

CREATE INDEX archivings_entry ON archivings (workspace_id, entry_id, recorded_from);

CREATE INDEX archivings_closed ON archivings (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX archivings_opened ON archivings (workspace_id, opened_by);

CREATE UNIQUE INDEX archivings_current ON archivings (workspace_id, entry_id) WHERE recorded_to = 253402300799999999;

CREATE TABLE verifications (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  entry_id BLOB NOT NULL,
  grounding_score REAL NOT NULL,
  evidence_id INTEGER,
  recorded_from INTEGER NOT NULL,
  opened_by INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  closed_by INTEGER,
  operation INTEGER NOT NULL,
  digest BLOB NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY(workspace_id, entry_id) REFERENCES entries (workspace_id, entry_id),
  FOREIGN KEY(workspace_id, opened_by) REFERENCES transactions (workspace_id, number),
  FOREIGN KEY(workspace_id, closed_by) REFERENCES transactions (workspace_id, number),
  CHECK (recorded_from < recorded_to),
  CHECK ((closed_by IS NULL) = (recorded_to = 253402300799999999)),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(evidence_id) REFERENCES contents (id)
)
 STRICT;

CREATE INDEX verifications_entry ON verifications (workspace_id, entry_id, recorded_from);

CREATE INDEX verifications_closed ON verifications (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX verifications_opened ON verifications (workspace_id, opened_by);

CREATE TABLE chunks (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  point_id BLOB NOT NULL,
  chunk_id BLOB NOT NULL,
  entry_id BLOB NOT NULL,
  start_earliest INTEGER NOT NULL,
  start_latest INTEGER NOT NULL,
  start_kind TEXT NOT NULL,
  start_text TEXT,
  start_uncertain INTEGER NOT NULL,
  end_earliest INTEGER NOT NULL,
  end_latest INTEGER NOT NULL,
  end_kind TEXT NOT NULL,
  end_text TEXT,
  end_uncertain INTEGER NOT NULL,
  digest BLOB NOT NULL,
  title_id INTEGER NOT NULL,
  heading_id INTEGER NOT NULL,
  content_id INTEGER NOT NULL,
  start_offset INTEGER NOT NULL,
  end_offset INTEGER NOT NULL,
  line INTEGER NOT NULL,
  page INTEGER,
  chunker INTEGER NOT NULL,
  type TEXT NOT NULL,
  lang TEXT NOT NULL,
  tags_id INTEGER NOT NULL,
  path_id INTEGER,
  age_at INTEGER NOT NULL,
  recorded_from INTEGER NOT NULL,
  opened_by INTEGER NOT NULL,
  recorded_to INTEGER NOT NULL,
  closed_by INTEGER,
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
)
 STRICT;

CREATE INDEX chunks_current ON chunks (workspace_id, entry_id) WHERE recorded_to = 253402300799999999;

CREATE INDEX chunks_closed ON chunks (workspace_id, closed_by) WHERE closed_by IS NOT NULL;

CREATE INDEX chunks_point ON chunks (point_id, workspace_id);

CREATE INDEX chunks_entry ON chunks (workspace_id, entry_id, recorded_from);

CREATE INDEX chunks_opened ON chunks (workspace_id, opened_by);

CREATE TABLE version_tags (
  version_id INTEGER NOT NULL,
  tag TEXT NOT NULL,
  PRIMARY KEY (version_id, tag),
  FOREIGN KEY(version_id) REFERENCES versions (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE INDEX version_tags_tag ON version_tags (tag);

CREATE TABLE version_acl (
  version_id INTEGER NOT NULL,
  principal TEXT NOT NULL,
  PRIMARY KEY (version_id, principal),
  FOREIGN KEY(version_id) REFERENCES versions (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE vector_queue (
  index_name TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  PRIMARY KEY (index_name, chunk),
  FOREIGN KEY(chunk) REFERENCES chunks (id)
)
 WITHOUT ROWID,
 STRICT;
