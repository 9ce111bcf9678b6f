DROP INDEX principals_name;

DROP TABLE denials;

DROP TABLE jobs;

DROP TABLE idempotency;

CREATE TABLE denials (
  id INTEGER NOT NULL,
  workspace_id INTEGER,
  denied_at INTEGER NOT NULL,
  principal TEXT,
  channel TEXT NOT NULL,
  call TEXT NOT NULL,
  problem TEXT NOT NULL,
  PRIMARY KEY (id)
)
 STRICT;

CREATE INDEX denials_at ON denials (denied_at);

CREATE TABLE jobs (
  id INTEGER NOT NULL,
  workspace_id INTEGER NOT NULL,
  job_id BLOB NOT NULL,
  home TEXT NOT NULL,
  kind TEXT NOT NULL,
  principal TEXT NOT NULL,
  state TEXT NOT NULL,
  done INTEGER NOT NULL,
  total INTEGER,
  request TEXT,
  result TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, job_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
)
 STRICT;

CREATE INDEX jobs_running ON jobs (home) WHERE state = 'running';

CREATE TABLE idempotency (
  key_digest BLOB NOT NULL,
  workspace_id INTEGER,
  request_digest BLOB NOT NULL,
  status INTEGER NOT NULL,
  response TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key_digest)
)
 STRICT;

CREATE INDEX idempotency_at ON idempotency (created_at);

CREATE INDEX versions_key_start ON versions (workspace_id, key_id, start_earliest, recorded_from) WHERE key_id IS NOT NULL;

CREATE UNIQUE INDEX principals_valid ON principals (name) WHERE revoked_at = 253402300799999999;
