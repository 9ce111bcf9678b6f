CREATE TABLE relation_premises (
  relation_row BIGINT NOT NULL,
  premise_id BYTEA NOT NULL,
  PRIMARY KEY (relation_row, premise_id),
  FOREIGN KEY(relation_row) REFERENCES relations (id)
);

CREATE TABLE relation_floors (
  workspace_id BIGINT NOT NULL,
  name_id BIGINT NOT NULL,
  relation TEXT COLLATE "C" NOT NULL,
  visibility TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (workspace_id, name_id, relation),
  FOREIGN KEY(workspace_id) REFERENCES workspaces (id),
  FOREIGN KEY(name_id) REFERENCES contents (id)
);

ALTER TABLE relations ADD COLUMN premises BYTEA;
