DROP INDEX principals_name;

DROP TABLE denials;

DROP TABLE jobs;

DROP TABLE idempotency;

CREATE TABLE denials (
  id BIGINT NOT NULL,
  workspace_id BIGINT,
  denied_at BIGINT NOT NULL,
  principal TEXT COLLATE "C",
  channel TEXT COLLATE "C" NOT NULL,
  call TEXT COLLATE "C" NOT NULL,
  problem TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (id)
);

CREATE INDEX denials_at ON denials (denied_at);

CREATE TABLE jobs (
  id BIGINT NOT NULL,
  workspace_id BIGINT NOT NULL,
  job_id BYTEA NOT NULL,
  home TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  principal TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  done BIGINT NOT NULL,
  total BIGINT,
  request TEXT COLLATE "C",
  result TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (workspace_id, job_id),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id)
);

CREATE INDEX jobs_running ON jobs (home) WHERE state = 'running';

CREATE TABLE idempotency (
  key_digest BYTEA NOT NULL,
  workspace_id BIGINT,
  request_digest BYTEA NOT NULL,
  status BIGINT NOT NULL,
  response TEXT COLLATE "C",
  created_at BIGINT NOT NULL,
  PRIMARY KEY (key_digest)
);

CREATE INDEX idempotency_at ON idempotency (created_at);

CREATE INDEX versions_key_start ON versions (workspace_id, key_id, start_earliest, recorded_from) WHERE key_id IS NOT NULL;

CREATE UNIQUE INDEX principals_valid ON principals (name) WHERE revoked_at = 253402300799999999;
