import { MODEL_APIS } from '../../src/engine/engine.ts';
import { createNativeEngine } from '../../src/engine/native/engine.ts';
import { describeConformance } from './conformance.ts';

describeConformance('native', createNativeEngine, MODEL_APIS);
