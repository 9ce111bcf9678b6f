CREATE TABLE relation_premises (
	relation_row INTEGER NOT NULL, 
	premise_id BLOB NOT NULL, 
	PRIMARY KEY (relation_row, premise_id), 
	FOREIGN KEY(relation_row) REFERENCES relations (id)
)
 WITHOUT ROWID,
 STRICT;

CREATE TABLE relation_floors (
	workspace_id INTEGER NOT NULL, 
	name_id INTEGER NOT NULL, 
	relation TEXT NOT NULL, 
	visibility TEXT NOT NULL, 
	PRIMARY KEY (workspace_id, name_id, relation), 
	FOREIGN KEY(workspace_id) REFERENCES workspaces (id), 
	FOREIGN KEY(name_id) REFERENCES contents (id)
)
 WITHOUT ROWID,
 STRICT;

ALTER TABLE relations ADD COLUMN premises BLOB;
