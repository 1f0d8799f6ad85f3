/** Fields of pipelines and stages as clients send them. */
import { type Field, integer, reference, text } from '../fields.ts';

const blank = "can't be blank";

/** A name that must say something. */
export const nameField: Field<string> = {
  ...text({
    normalise: (name) => name.trim(),
    check: (name) => (name === '' ? blank : undefined),
  }),
  cleared: { message: blank },
};

export const pipelineFields = { name: nameField };

const place = integer({ least: 1 });

/** What can be changed of a stage; null as its position asks for the end. */
export const stageFields = {
  name: nameField,
  position: { ...place, cleared: { value: null } } satisfies Field<number | null>,
};

/** What creating a stage takes. */
export const newStageFields = { ...stageFields, pipeline_id: reference };
