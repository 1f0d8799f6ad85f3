/** What a document selects of the groups of a summary. */
import { getArgumentValues, getNamedType, isObjectType } from 'graphql';
import type { SummarySelection } from '../../resources/dashboards/summary.ts';
import { type AggregateName, aggregates } from '../../search/measures.ts';
import { fieldsOf, isIncluded, selectedOf } from './fields.ts';
import { keyOf } from './relations.ts';
import { namesIn, type SelectionInfo } from './selection.ts';

const isAggregate = (field: string): field is AggregateName => Object.hasOwn(aggregates, field);

export function summaryShown(info: SelectionInfo): SummarySelection {
  const { fieldNodes, fragments, variableValues, returnType } = info;
  const type = getNamedType(returnType);
  if (!isObjectType(type)) throw new Error('a summary has groups');
  const fields = fieldsOf(
    selectedOf(fieldNodes),
    (name) => fragments[name],
    (node) => isIncluded(node, variableValues),
  );
  const measures = [...fields].flatMap(([responseName, [node]]) => {
    const field = node && type.getFields()[node.name.value];
    if (!field || !isAggregate(field.name)) return [];
    const { of } = getArgumentValues(field, node, variableValues);
    return {
      key: keyOf(type.name, field.name, responseName),
      aggregate: field.name,
      of: String(of),
    };
  });
  return { measures, labels: namesIn(info, ['keys']).has('label') };
}
